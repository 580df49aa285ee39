import { readFileSync } from 'node:fs'
import t from 'tap'
import { BoltError, readBolt } from '../../src/import/filebrowser/bolt.ts'

const fixture = readFileSync(`${import.meta.dirname}/../fixtures/filebrowser/filebrowser.db`)

function errorOf(bytes: Buffer): unknown {
  try {
    readBolt(bytes)('Link')
    return null
  } catch (error) {
    return error
  }
}

t.test('reads buckets with several pages in the order of their keys', async (t) => {
  const links = readBolt(fixture)('Link')
  t.equal(links.length, 65)
  const keys = links.map(({ key }) => key.toString())
  t.same(keys, [...keys].sort())
  t.match(JSON.parse(links[0]!.value.toString()), { hash: String, userID: 2 })
  t.same(readBolt(fixture)('Missing'), [])
})

t.test('refuses other files, and reports every damage as such', async (t) => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('no database'), Buffer.alloc(65_536), fixture.subarray(0, 5000)])
    t.ok(errorOf(bytes) instanceof BoltError)
  const metaEnd = 2 * 4096
  for (let offset = metaEnd; offset < fixture.length - 12; offset += 37) {
    const damaged = Buffer.from(fixture)
    damaged.fill(0xff, offset, offset + 12)
    const error = errorOf(damaged)
    if (error && !(error instanceof BoltError)) t.fail(`byte ${offset}: ${error}`)
  }
})

t.test('refuses pages that refer to each other many times, instead of reading them forever', async (t) => {
  const cyclic = Buffer.from(fixture)
  const pageSize = 4096
  for (let page = 2; page < fixture.length / pageSize; page++) {
    const start = page * pageSize
    cyclic.writeUInt16LE(1, start + 8) // a branch
    cyclic.writeUInt16LE(200, start + 10) // with 200 pages below
    for (let element = 0; element < 200; element++) cyclic.writeBigUInt64LE(BigInt(page), start + 16 + element * 16 + 8)
  }
  t.match(errorOf(cyclic), { message: /in the tree twice/ })
})

t.test('reads the older of two states if the newer one was not written completely', async (t) => {
  for (const page of [0, 4096]) {
    const torn = Buffer.from(fixture)
    torn.fill(0, page + 60, page + 80)
    t.ok(readBolt(torn)('User').length > 0)
  }
})

import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import t from 'tap'
import { HeldBytes } from '../../src/http/held-bytes.ts'
import { DataUrlCheck, decodeDataUrl } from '../../src/uploads/chunks/data-url.ts'
import { reserveSpool } from '../../src/uploads/chunks/spool-slots.ts'

const MiB = 1_048_576

/** Decodes a text in pieces of this length; null when it is not a `data:` URL. */
async function decode(text: string, pieceLength: number, any = true): Promise<Buffer | null> {
  const [check, held] = [new DataUrlCheck(any), new HeldBytes()]
  for (let at = 0; at < text.length; at += pieceLength) {
    const piece = Buffer.from(text.slice(at, at + pieceLength), 'latin1')
    check.add(piece.toString('latin1'))
    held.add(piece)
  }
  const url = check.end()
  if (!url) return null
  const bytes = Buffer.concat(await Readable.from(decodeDataUrl(held.take(), url.start)).toArray())
  return bytes.length === url.bytes ? bytes : Buffer.from(`${url.bytes} announced, ${bytes.length} decoded`)
}

t.test('decodes a data URL in pieces of any length', async (t) => {
  const damaged: string[] = []
  for (const length of [0, 1, 2, 3, 1000, 200_001]) {
    const bytes = randomBytes(length)
    for (const ending of ['', '\n', ' \r\n']) {
      const url = `data:application/octet-stream;base64,${bytes.toString('base64')}${ending}`
      for (const pieceLength of [1, 3, 4096, 65_536])
        if (!(await decode(url, pieceLength, false))?.equals(bytes))
          damaged.push(`${length} bytes and ${JSON.stringify(ending)} in ${pieceLength}`)
    }
  }
  t.same(damaged, [])
  t.equal(await decode('data:image/png;base64,AAEC', 5, false), null, 'other types are decoded only when sent as text')
  for (const text of ['', 'data', 'data:x;base64,AAE', 'data:x;base64,A!==', 'data:x;base64,AA==AA=='])
    t.equal(await decode(text, 4), null, text)
})

t.test('buffers tiny pieces in blocks', async (t) => {
  const held = new HeldBytes()
  const before = process.memoryUsage().rss
  for (let n = 0; n < MiB; n++) held.add(Buffer.from([n & 255]))
  t.ok(process.memoryUsage().rss - before < 100 * MiB)
  t.equal(Buffer.concat([...held.take()]).length, MiB)
  t.equal(held.length, 0)
})

t.test('keeps two chunks at once in files, one per caller, queues the others in order and rejects too many', async (t) => {
  const release = await reserveSpool('a')
  const order: string[] = []
  const hold = async (caller: string) => {
    const release = await reserveSpool(caller)
    order.push(caller)
    return release
  }
  const waiting = [hold('a'), hold('b'), hold('c')]
  const releaseB = await waiting[1]!
  t.same(order, ['b'])
  for (let n = 0; n < 3; n++) waiting.push(hold('a'))
  await t.rejects(reserveSpool('a'), { code: 'unavailable', details: { retryAfter: 5 } })
  release()
  const releaseA = await waiting[0]!
  releaseB()
  ;(await waiting[2]!)()
  t.same(order, ['b', 'a', 'c'])
  releaseA()
  for (const hold of waiting.slice(3)) (await hold)()
})

import t from 'tap'
import { zipEtag } from '../../src/downloads/zip/etag.ts'
import { pieceAt, pieceHeader, planZip, type StoredEntry } from '../../src/downloads/zip/layout.ts'
import { generatedEntry } from '../support/s3/generated-store.ts'

t.test('clamps times that the fields cannot hold', async (t) => {
  const header = (modified: string) => Buffer.from(pieceHeader(planZip([generatedEntry('a', 0, { modified: new Date(modified) })]), 0))
  t.equal(header('1970-01-01T00:00:00Z').readUInt32LE(10), 0x00210000)
  t.equal(header('1970-01-01T00:00:00Z').readInt32LE(36), 0)
  t.equal(header('1960-01-01T00:00:00Z').readInt32LE(36), -315619200)
  t.equal(header('2200-01-01T00:00:00Z').readUInt32LE(10), 0xff9fbf7d)
  t.equal(header('2200-01-01T00:00:00Z').readInt32LE(36), 0x7fffffff)
})

t.test('finds for every position the piece that contains it', async (t) => {
  const plan = planZip([generatedEntry('empty', 0), generatedEntry('one', 1), generatedEntry('large', 300_000), generatedEntry('last', 0)])
  for (let piece = 0; piece < plan.offsets.length - 1; piece++) {
    t.equal(pieceAt(plan, plan.offsets[piece]!), piece)
    t.equal(pieceAt(plan, plan.offsets[piece + 1]! - 1), piece)
  }
})

t.test('changes the validator with every byte and every object', async (t) => {
  const [entry, other] = [generatedEntry('a', 10), generatedEntry('b', 10)]
  const changed = (entry: StoredEntry, change: Partial<StoredEntry>) => zipEtag(planZip([{ ...entry, ...change }, other]))
  const etags = [
    changed(entry, {}),
    changed(entry, { name: 'c' }),
    changed(entry, { size: 11 }),
    changed(entry, { crc32: 1 }),
    changed(entry, { key: '9/10' }),
    changed(entry, { modified: new Date(0) }),
    zipEtag(planZip([other, entry])),
    zipEtag(planZip([entry])),
    zipEtag(planZip([])),
  ]
  t.equal(new Set(etags).size, etags.length)
  t.equal(changed(entry, {}), etags[0])
  t.match(etags[0]!, /^[\w-]{43}$/)
})

t.test('rejects what a zip cannot hold', async (t) => {
  const refused = (change: Partial<StoredEntry>) => t.throws(() => planZip([{ ...generatedEntry('a', 1), ...change }]), RangeError)
  refused({ name: 'n'.repeat(65_536) })
  refused({ size: -1 })
  refused({ size: 0.5 })
  refused({ size: Number.NaN })
  refused({ size: Number.MAX_SAFE_INTEGER })
})

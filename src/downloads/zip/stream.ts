import type { Writable } from 'node:stream'
import type { ByteRange, ObjectStore } from '../../storage/object-store.ts'
import { BlockWriter } from '../../storage/streams/block-writer.ts'
import { offsetOf, pieceAt, pieceHeader, type ZipPlan } from './layout.ts'

/**
 * Objects up to this size are read into shared blocks. Larger ones are sent directly from the
 * store.
 */
const SMALL_BYTES = 128 * 1024

/**
 * Writes the bytes `range.start` to `range.end` (inclusive) of the planned archive to `to`, and
 * leaves `to` open. Memory use does not depend on the size of the archive or the speed of the
 * receiver. If an object is missing or short, or `to` fails or closes, it destroys `to` and
 * rejects: clients notice a cut connection, but not a wrong archive.
 */
export async function sendZip(store: Pick<ObjectStore, 'readInto' | 'send'>, plan: ZipPlan, range: ByteRange, to: Writable): Promise<void> {
  const out = new BlockWriter(to)
  try {
    const first = pieceAt(plan, range.start)
    for (let piece = first; piece < plan.offsets.length - 1 && offsetOf(plan, piece) <= range.end; piece++) {
      await sendPiece(store, plan, piece, range, out, to)
    }
    await out.finish()
  } catch (error) {
    to.destroy()
    throw error
  } finally {
    out.release()
  }
}

async function sendPiece(
  store: Pick<ObjectStore, 'readInto' | 'send'>,
  plan: ZipPlan,
  piece: number,
  range: ByteRange,
  out: BlockWriter,
  to: Writable,
): Promise<void> {
  const begin = offsetOf(plan, piece)
  const header = pieceHeader(plan, piece)
  if (range.start < begin + header.length) await out.append(header.subarray(Math.max(range.start - begin, 0), range.end + 1 - begin))
  const dataAt = begin + header.length
  const start = Math.max(range.start - dataAt, 0)
  const end = Math.min(range.end, offsetOf(plan, piece + 1) - 1) - dataAt
  if (end < start) return
  const key = plan.entries[piece]?.key
  if (key === undefined) throw new RangeError(`Piece ${piece} has no data`)
  if (end - start < SMALL_BYTES) return out.fill(end - start + 1, (target) => store.readInto(key, start, target))
  await out.flush()
  await out.during(store.send(key, { start, end }, to))
}

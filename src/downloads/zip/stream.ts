import type { Writable } from 'node:stream'
import type { ByteRange, ObjectStore, OnOpen } from '../../storage/object-store.ts'
import { BlockWriter } from '../../storage/streams/block-writer.ts'
import { requireBytes, sendCompared } from '../../storage/streams/send-compared.ts'
import { offsetOf, pieceHeader, plannedPieceAt, type StoredEntry, type ZipPlan } from './layout.ts'
import { NearbyReads } from './nearby-reads.ts'

/**
 * Objects up to this size are read into shared blocks. Larger ones are sent directly from the
 * store.
 */
const SMALL_BYTES = 128 * 1024

type Store = Pick<ObjectStore, 'readInto' | 'send'>

/**
 * Writes the bytes `range.start` to `range.end` (inclusive) of the planned archive to `to`, and
 * leaves `to` open. Memory use does not depend on the size of the archive or the speed of the
 * receiver. If an object is missing or short, or differs from the uploaded file, or `to` fails or
 * closes, it destroys `to` and rejects: clients notice a cut connection, but not a wrong archive.
 * The CRC-32 is compared for files that lie completely in the range.
 *
 * With `onOpen`, the first file's object is opened before the first byte, and an error until then
 * leaves `to` open. Its size is null if the range begins with no data of a file.
 */
export async function sendZip(store: Store, plan: ZipPlan, range: ByteRange, to: Writable, onOpen?: OnOpen): Promise<void> {
  const out = new BlockWriter(to)
  let hasBegun = onOpen === undefined
  try {
    let piece = await plannedPieceAt(plan, range.start)
    if (onOpen) {
      await sendFirst(store, partOf(plan, piece++, range), out, to, async (size) => {
        await onOpen(size)
        hasBegun = true
      })
    }
    const reads = new NearbyReads(store, plan.entries)
    for (; piece < plan.offsets.length - 1 && offsetOf(plan, piece) <= range.end; piece++) {
      await plan.planned?.(piece)
      await sendPart({ store, reads, out, to }, partOf(plan, piece, range), piece)
    }
    await out.finish()
  } catch (error) {
    if (hasBegun) to.destroy()
    throw error
  } finally {
    out.release()
  }
}

/** The bytes of a piece that lie in a range. */
interface PiecePart {
  header: Uint8Array
  /** null: none. */
  data: PieceData | null
}

interface PieceData extends ByteRange {
  entry: StoredEntry
  /** Whether this is all data of the entry. */
  isWhole: boolean
}

function partOf(plan: ZipPlan, piece: number, range: ByteRange): PiecePart {
  const begin = offsetOf(plan, piece)
  const all = pieceHeader(plan, piece)
  const header = all.subarray(Math.max(range.start - begin, 0), Math.max(range.end + 1 - begin, 0))
  const dataAt = begin + all.length
  const start = Math.max(range.start - dataAt, 0)
  const end = Math.min(range.end, offsetOf(plan, piece + 1) - 1) - dataAt
  if (end < start) return { header, data: null }
  const entry = plan.entries[piece]
  if (!entry) throw new RangeError(`Piece ${piece} has no data`)
  return { header, data: { entry, start, end, isWhole: start === 0 && end === entry.size - 1 } }
}

async function sendFirst(store: Store, { header, data }: PiecePart, out: BlockWriter, to: Writable, onOpen: OnOpen): Promise<void> {
  if (!data) {
    await onOpen(null)
    return out.append(header)
  }
  await sendData(store, data, to, async (size) => {
    await onOpen(size)
    await out.append(header)
    await out.flush()
  })
}

interface Sending {
  store: Store
  reads: NearbyReads
  out: BlockWriter
  to: Writable
}

async function sendPart({ store, reads, out, to }: Sending, { header, data }: PiecePart, piece: number): Promise<void> {
  await out.append(header)
  if (!data) return
  const { entry, start, end, isWhole } = data
  if (end - start < SMALL_BYTES) {
    return out.fill(end - start + 1, async (target) => {
      await reads.read(piece, start, target)
      if (isWhole) requireBytes(entry, target)
    })
  }
  await out.flush()
  await out.during(sendData(store, data, to))
}

function sendData(store: Store, { entry, start, end, isWhole }: PieceData, to: Writable, onOpen?: OnOpen): Promise<void> {
  if (!isWhole) return store.send(entry.key, { start, end }, to, onOpen)
  return sendCompared(entry, to, (begin) =>
    store.send(entry.key, { start, end }, to, async (size) => {
      await onOpen?.(size)
      begin()
    }),
  )
}

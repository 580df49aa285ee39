import type { Box } from './boxes.ts'
import { viewOf } from './bytes.ts'

/** Positions in a file, `end` excluded. */
export interface Range {
  start: number
  end: number
}

/**
 * Returns where the samples of a track lie in the file, by its sample table (ISO/IEC 14496-12,
 * 8.6 and 8.7); null if the table is malformed.
 */
export function chunksOf(bytes: Uint8Array, boxes: readonly Box[]): Range[] | null {
  try {
    const table = (type: string) => boxes.find((box) => box.type === type)
    const [sizes, runs, offsets, wide] = [table('stsz'), table('stsc'), table('stco'), table('co64')]
    const places = offsets ?? wide
    if (!sizes || !runs || !places) return null
    return readChunks(lengthsIn(bytes, sizes), runsIn(bytes, runs), offsetsIn(bytes, places, places === wide))
  } catch (error) {
    if (error instanceof RangeError) return null // a table ends too early
    throw error
  }
}

/** Samples per chunk, from the chunk with this number on. */
interface Run {
  from: number
  samples: number
}

function readChunks(lengthOf: (sample: number, count: number) => number, runs: Run[], offsets: number[]): Range[] | null {
  let [sample, run] = [0, 0]
  const chunks: Range[] = []
  for (const [index, start] of offsets.entries()) {
    if (runs[run + 1]?.from === index + 1) run++
    const samples = runs[run]?.samples
    if (samples === undefined) return null
    chunks.push({ start, end: start + lengthOf(sample, samples) })
    sample += samples
  }
  return chunks
}

function entriesIn(bytes: Uint8Array, { start, end }: Box, size: number): DataView[] {
  const count = viewOf(bytes.subarray(start, end)).getUint32(4)
  if (start + 8 + count * size > end) throw new RangeError('too few entries')
  return Array.from({ length: count }, (_, index) => viewOf(bytes.subarray(start + 8 + index * size, end)))
}

const runsIn = (bytes: Uint8Array, box: Box): Run[] =>
  entriesIn(bytes, box, 12).map((view) => ({ from: view.getUint32(0), samples: view.getUint32(4) }))

const offsetsIn = (bytes: Uint8Array, box: Box, isWide: boolean): number[] =>
  entriesIn(bytes, box, isWide ? 8 : 4).map((view) => (isWide ? Number(view.getBigUint64(0)) : view.getUint32(0)))

/** Returns a function that sums the bytes of `count` samples from one on. */
function lengthsIn(bytes: Uint8Array, { start, end }: Box): (sample: number, count: number) => number {
  const view = viewOf(bytes.subarray(start, end))
  const [shared, total] = [view.getUint32(4), view.getUint32(8)]
  return (sample, count) => {
    if (sample + count > total) throw new RangeError('too few samples')
    if (shared > 0) return shared * count
    let sum = 0
    for (let at = sample; at < sample + count; at++) sum += view.getUint32(12 + at * 4)
    return sum
  }
}

import { crc32Combine } from '../../src/storage/streams/crc32.ts'
import type { FileSource } from '../types.ts'
import type { ComputeCrc32 } from './sealed-source.ts'

const pieceBytes = 1_048_576

/** Reads a file, piece by piece, and returns its CRC-32. */
export async function plainCrc32(file: FileSource, crc32: ComputeCrc32): Promise<number> {
  let sum = 0
  for (let start = 0; start < file.size; start += pieceBytes) {
    const bytes = new Uint8Array(await file.slice(start, Math.min(start + pieceBytes, file.size)).arrayBuffer())
    sum = crc32Combine(sum, crc32(bytes), bytes.length)
  }
  return sum
}

import { ProgramFailed } from './sandbox.ts'

/** Chunks with metadata: the color profile, which is sRGB in previews, EXIF and XMP. */
const metadata = new Set(['ICCP', 'EXIF', 'XMP '])
/** The flags of the same chunks in `VP8X`. */
const metadataFlags = 0x20 | 0x08 | 0x04

export interface WebP {
  bytes: Buffer
  /** Pixels. */
  width: number
  height: number
}

/**
 * Removes all metadata from a WebP file and returns its size in pixels. libvips 8.14 always writes
 * some.
 *
 * @throws {ProgramFailed} it is not a WebP file
 */
export function withoutMetadata(file: Buffer): WebP {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WEBP')
    throw new ProgramFailed('The preview is not WebP')
  const chunks = chunksOf(file).filter((chunk) => !metadata.has(typeOf(chunk)))
  const [first] = chunks
  if (!first) throw new ProgramFailed('The preview is empty')
  if (typeOf(first) === 'VP8X') first.writeUInt8(first.readUInt8(8) & ~metadataFlags, 8)
  const body = Buffer.concat(chunks)
  const head = Buffer.from('RIFF....WEBP', 'latin1')
  head.writeUInt32LE(body.length + 4, 4)
  return { bytes: Buffer.concat([head, body]), ...sizeOf(first) }
}

const typeOf = (chunk: Buffer) => chunk.toString('latin1', 0, 4)

/** Splits a file into its chunks, each with its head of 8 bytes and an even length. */
function chunksOf(file: Buffer): Buffer[] {
  const chunks: Buffer[] = []
  for (let start = 12; start + 8 <= file.length; ) {
    const length = file.readUInt32LE(start + 4)
    const end = start + 8 + length + (length % 2)
    if (end > file.length) throw new ProgramFailed('The preview is cut')
    chunks.push(file.subarray(start, end))
    start = end
  }
  return chunks
}

function sizeOf(chunk: Buffer): { width: number; height: number } {
  if (typeOf(chunk) === 'VP8X') return { width: chunk.readUIntLE(12, 3) + 1, height: chunk.readUIntLE(15, 3) + 1 }
  if (typeOf(chunk) === 'VP8 ') return { width: chunk.readUInt16LE(14) & 0x3fff, height: chunk.readUInt16LE(16) & 0x3fff }
  const bits = chunk.readUInt32LE(9) // VP8L, after its signature
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

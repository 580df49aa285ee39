import { crc32, deflateSync } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** One chunk of a PNG with its length and CRC. */
export function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  crc.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, crc])
}

/** The header chunk of an RGBA image. `interlaced` sets its interlace flag. */
export function header(width: number, height: number, interlaced = false): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([8, 6, 0, 0, interlaced ? 1 : 0], 8)
  return chunk('IHDR', data)
}

/** A PNG of these chunks, valid or not. */
export function pngOf(...chunks: Buffer[]): Buffer {
  return Buffer.concat([signature, ...chunks, chunk('IEND')])
}

/**
 * An RGBA image with the pixels that `colour` returns. `more` are further chunks before the pixels.
 */
export function png(width: number, height: number, colour: (x: number, y: number) => number[], more: Buffer[] = []): Buffer {
  const lines = Array.from({ length: height }, (_, y) => Buffer.from([0, ...Array.from({ length: width }, (_, x) => colour(x, y)).flat()]))
  return pngOf(header(width, height), ...more, chunk('IDAT', deflateSync(Buffer.concat(lines))))
}

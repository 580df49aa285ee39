import { inflateSync } from 'node:zlib'
import { PNG } from 'pngjs'
import { logoMaxBytes, logoMaxPixels } from './limits.ts'

/** The image cannot be the logo; `code` is that of the error catalogue. */
export class LogoRefused extends Error {
  readonly code: 'logo_not_png' | 'logo_not_square' | 'logo_too_large'
  constructor(code: LogoRefused['code']) {
    super(code)
    this.code = code
  }
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const bytesPerPixelMax = 8 // 16 bits a channel, four channels

/**
 * Decodes a square PNG (W3C PNG, third edition) and encodes it again at each of `sizes` pixels, so that nothing but its pixels is left.
 * The header is checked before anything is inflated: a small file can claim to be any size. Takes up to 32 bytes of memory a pixel.
 * @throws LogoRefused
 */
export function deriveLogos(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  checkBeforeDecoding(bytes)
  const image = decode(bytes)
  return sizes.map((size) => encode(resized(image, size), size))
}

function checkBeforeDecoding(bytes: Buffer): void {
  if (bytes.length > logoMaxBytes) throw new LogoRefused('logo_too_large')
  const [header, ...rest] = chunksOf(bytes)
  if (header?.type !== 'IHDR' || header.data.length !== 13) throw new LogoRefused('logo_not_png')
  if (rest.some(({ type }) => type === 'IHDR')) throw new LogoRefused('logo_not_png')
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)]
  if (width > logoMaxPixels || height > logoMaxPixels) throw new LogoRefused('logo_too_large')
  if (width !== height || width === 0) throw new LogoRefused(width === height ? 'logo_not_png' : 'logo_not_square')
  const isInterlaced = header.data[12] !== 0
  if (isInterlaced) checkInflated(rest, width)
}

/** The decoder has no limit of its own for the bytes of an interlaced image. */
function checkInflated(chunks: Chunk[], width: number): void {
  const pixels = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  const filters = 16 * width // bytes, and more than one for each line of each pass
  try {
    inflateSync(pixels, { maxOutputLength: width * width * bytesPerPixelMax + filters })
  } catch {
    throw new LogoRefused('logo_not_png')
  }
}

interface Chunk {
  type: string
  data: Buffer
}

function chunksOf(bytes: Buffer): Chunk[] {
  if (!bytes.subarray(0, 8).equals(signature)) throw new LogoRefused('logo_not_png')
  const chunks: Chunk[] = []
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    chunks.push({ type, data: bytes.subarray(at + 8, at + 8 + length) })
    if (type === 'IEND') break
    at += 12 + length
  }
  return chunks
}

function decode(bytes: Buffer): PNG {
  try {
    return PNG.sync.read(bytes)
  } catch {
    throw new LogoRefused('logo_not_png')
  }
}

function encode(data: Buffer, size: number): Buffer {
  const image = new PNG({ width: size, height: size })
  image.data = data
  return PNG.sync.write(image)
}

/** Each new pixel is the average of those that lie below it, weighted by how much of them does and by their alpha. */
function resized({ data, width, height }: PNG, size: number): Buffer {
  const weight = (alphaAt: number) => data[alphaAt]! / 255
  const narrow = averaged(data, { from: width, to: size, lines: height, step: 4, lineStep: width * 4, weight })
  const small = averaged(narrow, { from: height, to: size, lines: size, step: size * 4, lineStep: 4, weight: () => 1 })
  return opaque(small)
}

interface Axis {
  from: number
  to: number
  lines: number
  /** Between two pixels on the axis, and between two lines. */
  step: number
  lineStep: number
  /** How much the colors of a pixel count, from the place of its alpha. */
  weight(alphaAt: number): number
}

/** Scales along one axis; the result has the lines in the same order and direction. */
function averaged(source: Float32Array | Buffer, { from, to, lines, step, lineStep, weight }: Axis): Float32Array {
  const result = new Float32Array(to * lines * 4)
  const targetLineStep = lineStep === 4 ? 4 : to * 4
  const targetStep = lineStep === 4 ? lines * 4 : 4
  const ratio = from / to
  for (let target = 0; target < to; target++) {
    const [start, end] = [target * ratio, (target + 1) * ratio]
    for (let pixel = Math.floor(start); pixel < Math.min(from, Math.ceil(end)); pixel++) {
      const share = (Math.min(end, pixel + 1) - Math.max(start, pixel)) / ratio
      for (let line = 0; line < lines; line++) {
        const read = pixel * step + line * lineStep
        const write = target * targetStep + line * targetLineStep
        const color = share * weight(read + 3)
        for (let channel = 0; channel < 3; channel++) result[write + channel]! += source[read + channel]! * color
        result[write + 3]! += source[read + 3]! * share
      }
    }
  }
  return result
}

function opaque(weighted: Float32Array): Buffer {
  const data = Buffer.alloc(weighted.length)
  for (let at = 0; at < data.length; at += 4) {
    const alpha = weighted[at + 3]!
    for (let channel = 0; channel < 3; channel++) {
      data[at + channel] = alpha > 0 ? Math.min(255, Math.round((weighted[at + channel]! * 255) / alpha)) : 0
    }
    data[at + 3] = Math.min(255, Math.round(alpha))
  }
  return data
}

import { inflateSync } from 'node:zlib'
import { PNG } from 'pngjs'
import { logoMaxBytes, logoMaxPixels } from './limits.ts'

/** The image can't be used as a logo; `code` is the code of the `AppError` to throw. */
export class LogoRefused extends Error {
  readonly code: 'logo_not_png' | 'logo_not_square' | 'logo_too_large'
  constructor(code: LogoRefused['code']) {
    super(code)
    this.code = code
  }
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const bytesPerPixelMax = 8 // four channels of 16 bits

/**
 * Decodes a square PNG (W3C PNG, third edition) and encodes it at each width in `sizes`, which
 * removes all metadata. Checks the header before inflating anything, because a small file can claim
 * any size. Uses up to 32 bytes of memory per pixel.
 * @throws {LogoRefused} when it is not a square PNG, or too large
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

/** The decoder doesn't limit the inflated size of interlaced images. */
function checkInflated(chunks: Chunk[], width: number): void {
  const pixels = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  const filters = 16 * width // bytes; more than one per line and pass
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

/**
 * Averages the source pixels that each target pixel covers, weighted by the covered area and by
 * alpha.
 */
function resized({ data, width, height }: PNG, size: number): Buffer {
  const narrow = averaged(data, { from: width, to: size, lines: height, step: 4, lineStep: width * 4, byAlpha: true })
  const small = averaged(narrow, { from: height, to: size, lines: size, step: size * 4, lineStep: 4, byAlpha: false })
  return unweighted(small)
}

interface Axis {
  from: number
  to: number
  lines: number
  /** The distance between two pixels on the axis, and between two lines, in array elements. */
  step: number
  lineStep: number
  /** Whether colors are weighted by their alpha, from 0 to 255. */
  byAlpha: boolean
}

/** Scales along one axis and keeps the order and direction of the lines. */
function averaged(source: Float32Array | Buffer, { from, to, lines, step, lineStep, byAlpha }: Axis): Float32Array {
  const result = new Float32Array(to * lines * 4)
  const targetLineStep = lineStep === 4 ? 4 : to * 4
  const targetStep = lineStep === 4 ? lines * 4 : 4
  const ratio = from / to
  for (let line = 0; line < lines; line++) {
    for (let target = 0; target < to; target++) {
      const [start, end] = [target * ratio, (target + 1) * ratio]
      const last = Math.min(from, Math.ceil(end))
      let [red, green, blue, alpha] = [0, 0, 0, 0]
      for (let pixel = Math.floor(start); pixel < last; pixel++) {
        const coverage = (Math.min(end, pixel + 1) - Math.max(start, pixel)) / ratio
        const read = pixel * step + line * lineStep
        const opacity = source[read + 3] as number
        const color = byAlpha ? (coverage * opacity) / 255 : coverage
        red += (source[read] as number) * color
        green += (source[read + 1] as number) * color
        blue += (source[read + 2] as number) * color
        alpha += opacity * coverage
      }
      const write = target * targetStep + line * targetLineStep
      result[write] = red
      result[write + 1] = green
      result[write + 2] = blue
      result[write + 3] = alpha
    }
  }
  return result
}

/** Divides the colors by the alpha that they were weighted with, and rounds to bytes. */
function unweighted(weighted: Float32Array): Buffer {
  const data = Buffer.alloc(weighted.length)
  for (let at = 0; at < data.length; at += 4) {
    const alpha = weighted[at + 3] ?? 0
    for (let channel = 0; channel < 3; channel++) {
      data[at + channel] = alpha > 0 ? Math.min(255, Math.round(((weighted[at + channel] ?? 0) * 255) / alpha)) : 0
    }
    data[at + 3] = Math.min(255, Math.round(alpha))
  }
  return data
}

import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ByteRange } from '../../src/storage/object-store.ts'
import { LocalFile, Unsuitable } from './sources.ts'

/** The start of a JPEG and of its first segment. */
const startOfImage = Buffer.from([0xff, 0xd8, 0xff])
const endOfImage = Buffer.from([0xff, 0xd9])
/** Frames that hold a picture for people. Others are the lossless data of a sensor. */
const frames = new Set([0xc0, 0xc1, 0xc2])
/** Maximum number of places that are checked for a JPEG. */
const MAX_STARTS = 1_000
/** Maximum number of segments of one JPEG before its data. */
const MAX_SEGMENTS = 200
/** A smaller embedded picture would give a poor preview. */
const SMALLEST = 160 * 120

interface Jpeg extends ByteRange {
  pixels: number
  hasExif: boolean
}

/**
 * Copies the largest JPEG in a RAW file, upright, into another file.
 *
 * @throws {Unsuitable} there is none
 */
export async function extractJpeg(from: string, to: string, signal: AbortSignal): Promise<void> {
  const file = await LocalFile.open(from)
  try {
    const jpeg = await largestJpeg(file, signal)
    if (!jpeg) throw new Unsuitable('The RAW file has no picture in it')
    const orientation = jpeg.hasExif ? null : await orientationOf(file)
    const head = orientation === null ? [] : [startOfImage.subarray(0, 2), exifSegment(orientation)]
    const rest = file.stream({ start: jpeg.start + (orientation === null ? 0 : 2), end: jpeg.end })
    await pipeline(Readable.from(concatenated(head, rest)), createWriteStream(to), { signal })
  } finally {
    await file.close()
  }
}

async function* concatenated(head: Buffer[], rest: AsyncIterable<Buffer>) {
  yield* head
  yield* rest
}

async function largestJpeg(file: LocalFile, signal: AbortSignal): Promise<Jpeg | null> {
  let largest: Jpeg | null = null
  let from = 0
  for (let starts = 0; starts < MAX_STARTS; starts++) {
    signal.throwIfAborted()
    const start = await file.indexOf(startOfImage, from)
    if (start < 0) break
    const jpeg = await jpegAt(file, start)
    if (jpeg && jpeg.pixels >= SMALLEST && jpeg.pixels > (largest?.pixels ?? 0)) largest = jpeg
    from = jpeg ? jpeg.end + 1 : start + 2
  }
  return largest
}

/** Reads the segments of a JPEG up to its data; null if it isn't one or has sensor data. */
async function jpegAt(file: LocalFile, start: number): Promise<Jpeg | null> {
  let [at, pixels, hasExif] = [start + 2, 0, false]
  for (let segments = 0; segments < MAX_SEGMENTS; segments++) {
    const head = await file.read(at, 10)
    if (head.length < 10 || head[0] !== 0xff) return null
    const marker = head[1] as number
    const length = head.readUInt16BE(2)
    if (length < 2) return null
    if (frames.has(marker)) pixels = head.readUInt16BE(5) * head.readUInt16BE(7)
    if (marker === 0xe1 && head.toString('latin1', 4, 8) === 'Exif') hasExif = true
    at += 2 + length
    if (marker !== 0xda) continue
    const end = pixels === 0 ? -1 : await file.indexOf(endOfImage, at)
    return end < 0 ? null : { start, end: end + 1, pixels, hasExif }
  }
  return null
}

/** Returns the EXIF orientation (1 to 8) of a RAW file in the form of TIFF; null if unknown. */
async function orientationOf(file: LocalFile): Promise<number | null> {
  const header = await file.read(0, 8)
  const order = header.toString('latin1', 0, 2)
  if (header.length < 8 || (order !== 'II' && order !== 'MM')) return null
  const isLittle = order === 'II'
  const short = (bytes: Buffer, at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  const directory = isLittle ? header.readUInt32LE(4) : header.readUInt32BE(4)
  const count = await file.read(directory, 2)
  if (count.length < 2) return null
  const entries = await file.read(directory + 2, 12 * Math.min(short(count, 0), 500))
  for (let at = 0; at + 12 <= entries.length; at += 12) {
    const value = short(entries, at + 8)
    if (short(entries, at) === 0x0112) return value >= 1 && value <= 8 ? value : null
  }
  return null
}

/** Returns a segment with only an orientation. */
function exifSegment(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex')
  tiff.writeUInt16BE(orientation, 18)
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const segment = Buffer.alloc(4)
  segment.writeUInt16BE(0xffe1, 0)
  segment.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([segment, content])
}

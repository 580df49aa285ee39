import { createWriteStream } from 'node:fs'
import { type FileHandle, open, truncate } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { ByteRange, ObjectStore } from '../../src/storage/object-store.ts'

/** A file that can have no preview, whatever the number of attempts. */
export class Unsuitable extends Error {}

type Store = Pick<ObjectStore, 'read' | 'readInto'>

/** A file in the store. */
export interface Source {
  key: string
  /** Bytes. */
  size: number
}

const MiB = 1_048_576
/** Maximum length of an image, RAW photo or PDF in bytes. */
const LARGEST = 256 * MiB
/** Bytes that are read from the start of a video. */
const VIDEO_HEAD = 32 * MiB
/** Maximum length of a video's table of contents in bytes. */
const VIDEO_TABLE = 64 * MiB
/** Maximum number of a video's boxes that are searched for its table of contents. */
const MAX_BOXES = 64

/**
 * Copies a whole file into a local one.
 *
 * @throws {Unsuitable} it has more than 256 MiB
 */
export async function copyWhole(store: Store, { key, size }: Source, path: string, signal: AbortSignal): Promise<void> {
  if (size > LARGEST) throw new Unsuitable(`The file has more than ${LARGEST / MiB} MiB`)
  await pipeline(await store.read(key), createWriteStream(path), { signal })
}

/**
 * Copies what the first picture of a video needs: its start, and the table of contents that MP4 and
 * QuickTime often have at the end. The local file has a hole in between.
 *
 * @throws {Unsuitable} the table of contents has more than 64 MiB
 */
export async function copyVideoStart(store: Store, source: Source, path: string, signal: AbortSignal): Promise<void> {
  const head = { start: 0, end: Math.min(source.size, VIDEO_HEAD) - 1 }
  await copyRange(store, source.key, head, path, signal)
  if (source.size <= VIDEO_HEAD) return
  const table = await movieBox(store, source)
  if (!table || table.end <= head.end) return
  if (table.end - table.start >= VIDEO_TABLE) throw new Unsuitable('The table of contents of the video is too large')
  await truncate(path, source.size)
  await copyRange(store, source.key, table, path, signal)
}

async function copyRange(store: Store, key: string, range: ByteRange, path: string, signal: AbortSignal): Promise<void> {
  const flags = range.start === 0 ? 'w' : 'r+'
  await pipeline(await store.read(key, range), createWriteStream(path, { flags, start: range.start }), { signal })
}

/** Finds the box `moov` of an ISO base media file; null if there is none. */
async function movieBox(store: Store, { key, size }: Source): Promise<ByteRange | null> {
  const header = Buffer.alloc(16)
  for (let [start, boxes] = [0, 0]; start + 16 <= size && boxes < MAX_BOXES; boxes++) {
    await store.readInto(key, start, header)
    const short = header.readUInt32BE(0)
    const length = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? size - start : short
    const type = header.toString('latin1', 4, 8)
    if (length < 8 || start + length > size || (start === 0 && type !== 'ftyp' && type !== 'wide' && type !== 'mdat')) return null
    if (type === 'moov') return { start, end: start + length - 1 }
    start += length
  }
  return null
}

/** A local file that is read at any place. */
export class LocalFile {
  readonly #file: FileHandle
  readonly size: number

  private constructor(file: FileHandle, size: number) {
    this.#file = file
    this.size = size
  }

  static async open(path: string): Promise<LocalFile> {
    const file = await open(path)
    return new LocalFile(file, (await file.stat()).size)
  }

  /** Returns up to `length` bytes, fewer at the end of the file. */
  async read(start: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, start)
    return buffer.subarray(0, bytesRead)
  }

  /** Returns where `bytes` begin at or after `from`; -1 if they do not occur before `end`. */
  async indexOf(bytes: Buffer, from: number, end = this.size): Promise<number> {
    const step = MiB
    for (let start = from; start < end; start += step) {
      const found = (await this.read(start, step + bytes.length - 1)).indexOf(bytes)
      if (found >= 0) return start + found
    }
    return -1
  }

  /** Returns a stream of a range. */
  stream({ start, end }: ByteRange) {
    return this.#file.createReadStream({ start, end, autoClose: false })
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

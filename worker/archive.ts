import { PassThrough, type Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createDeflateRaw } from 'node:zlib'
import { crc32 } from '@node-rs/crc32'
import { zipNames } from '../src/downloads/zip/names.ts'
import { centralRecord, dataDescriptor, endRecords, localHeader, type ZipEntry } from '../src/downloads/zip/records.ts'
import type { ObjectStore } from '../src/storage/object-store.ts'
import { isCompressed } from './compressed-types.ts'

const BLOCK_BYTES = 256 * 1024

export interface ArchivedFile {
  name: string
  size: number
  /** null: unknown, so it is not checked. */
  crc32: number | null
  objectKey: string
  /** Milliseconds since 1970. */
  completedAt: number
}

interface Options {
  storage: Pick<ObjectStore, 'read'>
  /** The zlib level, 1 (fast) to 9 (small). */
  level: number
  signal: AbortSignal
}

interface Archive {
  /** The zip. An error while reading destroys it, and destroying it stops the reading. */
  stream: Readable
  /** Returns the bytes read from the files so far. */
  bytesRead(): number
  /**
   * Returns the error on the reading side, because the store reports it only as a wrapped error.
   */
  failure(): Error | undefined
}

/**
 * Streams files from the store into one zip, and checks each file's size and CRC-32. Files that are
 * compressed already are stored, with their sizes before their bytes. All others are compressed.
 */
export function archive(files: ArchivedFile[], { storage, level, signal }: Options): Archive {
  const stream = new PassThrough({ highWaterMark: BLOCK_BYTES })
  const ended = new AbortController()
  let read = 0
  let failure: Error | undefined
  const open = async (file: ArchivedFile) => {
    const checked = new Checked(file, (bytes) => {
      read += bytes
    })
    pass(await storage.read(file.objectKey), checked, ended.signal)
    return checked
  }
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* zipOf(files, open, level, ended.signal)
    } catch (error) {
      if (!stream.destroyed) failure = error as Error
      throw error
    }
  }
  const stop = () => stream.destroy(signal.reason)
  signal.addEventListener('abort', stop)
  stream.once('close', () => {
    ended.abort()
    signal.removeEventListener('abort', stop)
  })
  stream.on('error', () => {}) // the reader of the stream handles it
  pipeline(bytes, stream).catch(() => {}) // it destroys the stream
  if (signal.aborted) stop()
  return { stream, bytesRead: () => read, failure: () => failure }
}

/** Generates a zip of files that `open` returns the bytes of. */
async function* zipOf(
  files: ArchivedFile[],
  open: (file: ArchivedFile) => Promise<Checked>,
  level: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const names = zipNames(files.map((file) => file.name))
  const entries: { entry: ZipEntry; offset: number }[] = []
  let position = 0
  for (const [index, file] of files.entries()) {
    const entry = entryOf(file, names[index] ?? file.name)
    entries.push({ entry, offset: position })
    for await (const block of entryBytes(entry, await open(file), level, signal)) {
      position += block.length
      yield block
    }
  }
  let directoryBytes = 0
  for (const { entry, offset } of entries) {
    const record = centralRecord(entry, offset)
    directoryBytes += record.length
    yield record
  }
  yield endRecords(entries.length, directoryBytes, position)
}

/** A file without a known CRC-32 is deflated, because that of a stored one precedes its bytes. */
function entryOf({ name, size, crc32, completedAt }: ArchivedFile, uniqueName: string): ZipEntry {
  const entry = { name: uniqueName, size, crc32: crc32 ?? 0, modified: new Date(completedAt) }
  return crc32 !== null && (isCompressed(name) || size === 0) ? entry : { ...entry, deflatedSize: 0 }
}

/** Generates an entry's header, data and data descriptor, and sets what only the data shows. */
async function* entryBytes(entry: ZipEntry, file: Checked, level: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield localHeader(entry)
  if (entry.deflatedSize === undefined) {
    yield* file as AsyncIterable<Uint8Array>
    return
  }
  const deflate = createDeflateRaw({ level, chunkSize: BLOCK_BYTES })
  pass(file, deflate, signal)
  for await (const block of deflate as AsyncIterable<Buffer>) {
    entry.deflatedSize += block.length
    yield block
  }
  entry.crc32 = file.crc32
  yield dataDescriptor(entry)
}

/** Passes a stream's bytes to another one, which is destroyed if that fails or `signal` aborts. */
function pass(from: Readable, to: Transform, signal: AbortSignal): void {
  pipeline(from, to, { signal }).catch(() => {}) // the reader of `to` gets the error
}

/** Passes a file's bytes through, and fails at the end if they differ from the uploaded ones. */
class Checked extends Transform {
  readonly #file: ArchivedFile
  readonly #count: (bytes: number) => void
  #size = 0
  #crc = 0

  constructor(file: ArchivedFile, count: (bytes: number) => void) {
    super()
    this.#file = file
    this.#count = count
  }

  /** Returns the CRC-32 of the bytes so far. */
  get crc32(): number {
    return this.#crc
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#size += chunk.length
    this.#crc = crc32(chunk, this.#crc)
    this.#count(chunk.length)
    if (this.#size > this.#file.size) this._flush(done)
    else done(null, chunk)
  }

  override _flush(done: TransformCallback): void {
    const { size, crc32: crc, objectKey } = this.#file
    if (this.#size !== size) done(new Error(`${objectKey} has ${this.#size} bytes instead of ${size}`))
    else if (crc !== null && this.#crc !== crc) done(new Error(`${objectKey} differs from the uploaded file: its CRC-32 has changed`))
    else done()
  }
}

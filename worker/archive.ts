import { once } from 'node:events'
import { PassThrough, type Readable, Transform, type TransformCallback } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { crc32 } from '@node-rs/crc32'
import { ZipArchive } from 'archiver'
import { zipNames } from '../src/downloads/zip/names.ts'
import type { ObjectStore } from '../src/storage/object-store.ts'
import { isCompressed } from './compressed-types.ts'

/**
 * The largest file that is read whole before it is added. archiver stores it without a data
 * descriptor only then.
 */
const WHOLE_BYTES = 16 * 1024 * 1024

export interface ArchivedFile {
  name: string
  size: number
  /** null: unknown, so it is not checked. */
  crc32: number | null
  objectKey: string
  completedAt: Date
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
 * Streams files from the store into one zip, and checks each file's size and CRC-32. Files up to
 * 16 MiB that are compressed already are stored, with their sizes before their bytes. All others
 * are compressed.
 */
export function archive(files: ArchivedFile[], { storage, level, signal }: Options): Archive {
  const zip = new ZipArchive({ zlib: { level } })
  const stream = new PassThrough({ highWaterMark: 1_048_576 }) // the S3 client does not accept archiver's own stream class
  const ended = new AbortController()
  let read = 0
  let failure: Error | undefined

  async function fill(): Promise<void> {
    const names = zipNames(files.map((file) => file.name))
    for (const [index, file] of files.entries()) {
      const source = await storage.read(file.objectKey)
      const checked = new Checked(file, (bytes) => {
        read += bytes
      })
      const reading = pipeline(source, checked, { signal: ended.signal })
      const store = isCompressed(file.name) && file.size <= WHOLE_BYTES
      const [content] = store ? await Promise.all([buffer(checked), reading]) : [checked]
      const added = once(zip, 'entry', { signal: ended.signal })
      zip.append(content, { name: names[index] ?? file.name, date: file.completedAt, store })
      await Promise.all([added, reading])
    }
    await zip.finalize()
  }

  const stop = () => stream.destroy(signal.reason)
  signal.addEventListener('abort', stop)
  stream.once('close', () => {
    ended.abort()
    signal.removeEventListener('abort', stop)
  })
  stream.on('error', () => {}) // the reader of the stream handles it
  const fail = (error: Error) => {
    if (!stream.destroyed) failure = error
    stream.destroy(error)
  }
  pipeline(zip, stream).catch(fail)
  fill().catch(fail)
  if (signal.aborted) stop()
  return { stream, bytesRead: () => read, failure: () => failure }
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

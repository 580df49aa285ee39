import { once } from 'node:events'
import { PassThrough, type Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from '@node-rs/crc32'
import { ZipArchive } from 'archiver'
import { zipNames } from '../src/downloads/zip/names.ts'
import type { ObjectStore } from '../src/storage/object-store.ts'

export interface ArchivedFile {
  name: string
  size: number
  /** null: not known, and found on the way. */
  crc32: number | null
  objectKey: string
  completedAt: Date
}

interface Options {
  storage: Pick<ObjectStore, 'read'>
  /** 1 (fast) to 9 (small), as zlib has it. */
  level: number
  signal: AbortSignal
}

interface Archive {
  /** The zip. Whatever goes wrong on the way in destroys it with that error, and destroying it ends the reading. */
  stream: Readable
  /** Bytes taken from the files so far. */
  bytesTaken(): number
  /** What went wrong on this side, if anything did: a store wraps it in words of its own. */
  failure(): Error | undefined
}

/** Streams files out of the store into one compressed zip, one object after the other, each checked against its size and CRC-32. */
export function archive(files: ArchivedFile[], { storage, level, signal }: Options): Archive {
  const zip = new ZipArchive({ zlib: { level } })
  const stream = new PassThrough({ highWaterMark: 1_048_576 }) // the S3 client does not accept archiver's own stream class
  const ended = new AbortController()
  let taken = 0
  let failure: Error | undefined

  async function fill(): Promise<void> {
    const names = zipNames(files.map((file) => file.name))
    for (const [index, file] of files.entries()) {
      const source = await storage.read(file.objectKey)
      const checked = new Checked(file, (bytes) => {
        taken += bytes
      })
      const added = once(zip, 'entry', { signal: ended.signal })
      zip.append(checked, { name: names[index]!, date: file.completedAt })
      await Promise.all([added, pipeline(source, checked, { signal: ended.signal })])
    }
    await zip.finalize()
  }

  const stop = () => stream.destroy(signal.reason)
  signal.addEventListener('abort', stop)
  stream.once('close', () => {
    ended.abort()
    signal.removeEventListener('abort', stop)
  })
  stream.on('error', () => {}) // whoever reads gets it as well
  const fail = (error: Error) => {
    if (!stream.destroyed) failure = error
    stream.destroy(error)
  }
  pipeline(zip, stream).catch(fail)
  fill().catch(fail)
  if (signal.aborted) stop()
  return { stream, bytesTaken: () => taken, failure: () => failure }
}

/** Lets a file's bytes through and fails at the end when they are not those that were uploaded. */
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
    done(null, chunk)
  }

  override _flush(done: TransformCallback): void {
    const { size, crc32: crc, objectKey } = this.#file
    if (this.#size !== size) done(new Error(`${objectKey} has ${this.#size} bytes instead of ${size}`))
    else if (crc !== null && this.#crc !== crc) done(new Error(`${objectKey} is not what was uploaded: its CRC-32 has changed`))
    else done()
  }
}

import type { FileHandle } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { crc32 } from '@node-rs/crc32'
import { fileStoreError } from '../disk/files.ts'
import { StoreFull, WrongLength } from '../object-store.ts'
import { release } from './receiver.ts'

/**
 * A write starts once this many bytes or chunks have been gathered. Clients may send chunks of one
 * byte.
 */
const MIN_WRITE_BYTES = 512 * 1024
const MIN_WRITE_CHUNKS = 512
/** Bytes gathered while both writes are running; then the source waits. */
const MAX_GATHERED_BYTES = 1024 * 1024
const WRITES = 2

interface Target {
  file: Pick<FileHandle, 'writev'>
  /** The offset of the first byte. */
  position: number
  /** The exact number of bytes expected; any number if absent. No byte beyond it is written. */
  length?: number
  /** Runs before each write; a rejection stops the write. */
  beforeWrite: () => Promise<void>
  /** Frees a chunk's memory once it is written. Only for chunks that no one else holds. */
  releasesChunks: boolean
}

/**
 * Writes a stream to a file at an offset. It gathers chunks and runs at most two vectored writes,
 * so it holds at most 3 MiB. File system errors become the store's errors. Once it has finished or
 * failed, no write is running.
 *
 * @throws {WrongLength} too many bytes, or too few at the end
 */
export class GatheringWriter extends Writable {
  bytes = 0
  crc32 = 0
  readonly #target: Target
  #position: number
  #gathered: Buffer[] = []
  #gatheredBytes = 0
  readonly #running = new Set<Promise<void>>()
  #resume: (() => void) | undefined

  constructor(target: Target) {
    super({ highWaterMark: MIN_WRITE_BYTES })
    this.#target = target
    this.#position = target.position
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.bytes += chunk.length
    const { length = Number.POSITIVE_INFINITY } = this.#target
    if (this.bytes > length) done(new WrongLength(`The body is longer than ${length} bytes`))
    else this.#gather(chunk, done)
  }

  #gather(chunk: Buffer, done: () => void): void {
    this.crc32 = crc32(chunk, this.crc32)
    this.#gathered.push(chunk)
    this.#gatheredBytes += chunk.length
    this.#advance()
    if (this.#gatheredBytes < MAX_GATHERED_BYTES && this.#gathered.length < MIN_WRITE_CHUNKS) done()
    else this.#resume = done
  }

  override async _final(done: (error?: Error) => void): Promise<void> {
    const { length = this.bytes } = this.#target
    if (this.bytes < length) return done(new WrongLength(`The body ended after ${this.bytes} of ${length} bytes`))
    while (this.#running.size === WRITES) await Promise.race(this.#running)
    if (this.#gatheredBytes > 0 && !this.destroyed) this.#start()
    await Promise.all(this.#running)
    done()
  }

  override async _destroy(error: Error | null, done: (error: Error | null) => void): Promise<void> {
    await Promise.all(this.#running)
    done(error)
  }

  #advance(): void {
    const enough = this.#gatheredBytes >= MIN_WRITE_BYTES || this.#gathered.length >= MIN_WRITE_CHUNKS
    if (!enough || this.#running.size === WRITES || this.destroyed) return
    this.#start()
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }

  #start(): void {
    const write = this.#writeOut(this.#gathered, this.#position)
      .catch((error) => {
        this.destroy(fileStoreError(error))
      })
      .then(() => {
        this.#running.delete(write)
        this.#advance()
      })
    this.#running.add(write)
    this.#position += this.#gatheredBytes
    this.#gathered = []
    this.#gatheredBytes = 0
  }

  async #writeOut(chunks: Buffer[], position: number): Promise<void> {
    await this.#target.beforeWrite()
    for (let unwritten = chunks; unwritten.length > 0; ) {
      const { bytesWritten } = await this.#target.file.writev(unwritten, position)
      if (bytesWritten === 0) throw new StoreFull('The file system wrote nothing')
      position += bytesWritten
      unwritten = unwrittenChunks(unwritten, bytesWritten)
    }
    if (this.#target.releasesChunks) for (const chunk of chunks) release(chunk)
  }
}

/**
 * Returns what remains of `chunks` after a write of `written` bytes, which may have been short. No
 * chunk is empty.
 */
function unwrittenChunks(chunks: Buffer[], written: number): Buffer[] {
  let skip = written
  return chunks.flatMap((chunk) => {
    const skipped = Math.min(skip, chunk.length)
    skip -= skipped
    return skipped === chunk.length ? [] : [chunk.subarray(skipped)]
  })
}

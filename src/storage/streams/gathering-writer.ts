import type { FileHandle } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { crc32 } from '@node-rs/crc32'
import { storeError } from '../disk/files.ts'
import { StoreFull, WrongLength } from '../object-store.ts'
import { release } from './release.ts'

/** A write starts with this many bytes gathered, or this many chunks (a client may send single bytes). */
const ENOUGH_BYTES = 256 * 1024
const ENOUGH_CHUNKS = 512
/** While both writes are under way this much more is gathered, then the source waits. */
const MOST_BYTES = 1024 * 1024
const WRITES = 2

interface Target {
  file: Pick<FileHandle, 'writev'>
  /** Where the first byte goes. */
  position: number
  /** Exactly how many bytes must come; left out: any number. Not one byte beyond it is written. */
  length?: number
  /** Runs before each write, and stops it by rejecting. */
  before: () => Promise<void>
  /** Gives a written chunk's memory back at once: only for chunks that nobody else holds. */
  release: boolean
}

/**
 * Writes what it is given to a file at an offset: gathers chunks, and has at most two vectored writes under way, so that it holds 3 MiB at most. Fails
 * with WrongLength (too many bytes, or too few at the end) or the file system's failure as the store's error. When it has finished or failed, no write is under way.
 */
export class GatheringWriter extends Writable {
  bytes = 0
  crc32 = 0
  readonly #target: Target
  #position: number
  #gathered: Buffer[] = []
  #gatheredBytes = 0
  readonly #underWay = new Set<Promise<void>>()
  #waiting: (() => void) | undefined

  constructor(target: Target) {
    super({ highWaterMark: ENOUGH_BYTES })
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
    if (this.#gatheredBytes < MOST_BYTES && this.#gathered.length < ENOUGH_CHUNKS) done()
    else this.#waiting = done
  }

  override async _final(done: (error?: Error) => void): Promise<void> {
    const { length = this.bytes } = this.#target
    if (this.bytes < length) return done(new WrongLength(`The body ended after ${this.bytes} of ${length} bytes`))
    while (this.#underWay.size === WRITES) await Promise.race(this.#underWay)
    if (this.#gatheredBytes > 0 && !this.destroyed) this.#start()
    await Promise.all(this.#underWay)
    done()
  }

  override async _destroy(error: Error | null, done: (error: Error | null) => void): Promise<void> {
    await Promise.all(this.#underWay)
    done(error)
  }

  #advance(): void {
    const enough = this.#gatheredBytes >= ENOUGH_BYTES || this.#gathered.length >= ENOUGH_CHUNKS
    if (!enough || this.#underWay.size === WRITES || this.destroyed) return
    this.#start()
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.()
  }

  #start(): void {
    const write = this.#writeOut(this.#gathered, this.#position)
      .catch((error) => {
        this.destroy(storeError(error))
      })
      .then(() => {
        this.#underWay.delete(write)
        this.#advance()
      })
    this.#underWay.add(write)
    this.#position += this.#gatheredBytes
    this.#gathered = []
    this.#gatheredBytes = 0
  }

  async #writeOut(chunks: Buffer[], position: number): Promise<void> {
    await this.#target.before()
    for (let left = chunks; left.length > 0; ) {
      const { bytesWritten } = await this.#target.file.writev(left, position)
      if (bytesWritten === 0) throw new StoreFull('The file system wrote nothing')
      position += bytesWritten
      left = rest(left, bytesWritten)
    }
    if (this.#target.release) for (const chunk of chunks) release(chunk)
  }
}

/** What is left of `chunks` after a write of `written` bytes, which may have been short; no empty chunk. */
function rest(chunks: Buffer[], written: number): Buffer[] {
  let index = 0
  while (index < chunks.length && written >= chunks[index]!.length) written -= chunks[index++]!.length
  return written === 0 ? chunks.slice(index) : [chunks[index]!.subarray(written), ...chunks.slice(index + 1)]
}

import { Writable } from 'node:stream'
import { HeldBytes } from '../chunks/held-bytes.ts'

/** Bytes read ahead of the parser: enough for all that two kernels hold, so that a client that disconnects is noticed while its files are still stored. */
const farAhead = 8 * 1_048_576
/** Forms of this process that may read so far ahead; others read this many bytes. */
const farAheadMax = 4
const ahead = 262_144

let farAheadNow = 0

/** Feeds a form to its parser, the next bytes only when `whenTaken` calls back. */
export class FormFeed extends Writable {
  readonly #parser: Writable
  readonly #whenTaken: (resume: () => void) => void
  readonly #held = new HeldBytes()
  readonly #isFar = farAheadNow < farAheadMax
  #isBusy = false
  #room: (() => void) | undefined
  #end: (() => void) | undefined

  constructor(parser: Writable, whenTaken: (resume: () => void) => void) {
    super()
    this.#parser = parser
    this.#whenTaken = whenTaken
    if (this.#isFar) farAheadNow++
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#held.add(chunk)
    this.#room = done
    this.#pump()
    this.#giveRoom()
  }

  override _final(done: () => void): void {
    this.#end = done
    this.#pump()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#isFar) farAheadNow--
    done(error)
  }

  #pump(): void {
    if (this.#isBusy || this.destroyed) return
    const bytes = this.#held.shift()
    if (!bytes) {
      if (this.#end) this.#parser.end(this.#end)
      return
    }
    this.#isBusy = true
    this.#giveRoom()
    this.#parser.write(bytes, () => this.#whenTaken(() => this.#resumeUpload()))
  }

  #resumeUpload(): void {
    this.#isBusy = false
    this.#pump()
  }

  #giveRoom(): void {
    if (this.#held.length >= (this.#isFar ? farAhead : ahead)) return
    const room = this.#room
    this.#room = undefined
    room?.()
  }
}

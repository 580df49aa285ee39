import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { HeldBytes } from '../../http/held-bytes.ts'

/**
 * Bytes read ahead of the parser: more than two kernels buffer, so that a disconnect is noticed
 * while files are still being stored.
 */
const farAhead = 8 * 1_048_576
/** Forms of this process that may read that far ahead; others read `ahead` bytes. */
const farAheadMax = 4
const ahead = 262_144

let farAheadNow = 0

/**
 * Feeds the body of a request to a form parser. The parser gets the next bytes only when
 * `whenTaken` calls back. Chunks of one turn of the event loop are gathered, because each write
 * costs the parser about 10 µs, however short it is.
 */
export class FormFeed {
  readonly #body: IncomingMessage
  readonly #parser: Writable
  readonly #whenTaken: (resume: () => void) => void
  readonly #held = new HeldBytes()
  readonly #isFar = farAheadNow < farAheadMax
  #isBusy = false
  #isScheduled = false
  #hasEnded = false
  #isStopped = false

  constructor(request: FastifyRequest, parser: Writable, whenTaken: (resume: () => void) => void) {
    this.#body = request.raw
    this.#parser = parser
    this.#whenTaken = whenTaken
    if (this.#isFar) farAheadNow++
    this.#body.on('data', this.#add).once('end', this.#end)
  }

  /** Stops reading; the rest of the body stays in the request. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    if (this.#isFar) farAheadNow--
    this.#body.off('data', this.#add).off('end', this.#end).pause()
  }

  readonly #add = (chunk: Buffer): void => {
    this.#held.add(chunk)
    if (this.#held.length >= this.#limit) this.#body.pause()
    this.#schedulePump()
  }

  readonly #end = (): void => {
    this.#hasEnded = true
    this.#schedulePump()
  }

  get #limit(): number {
    return this.#isFar ? farAhead : ahead
  }

  #schedulePump(): void {
    if (this.#isBusy || this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#pump()
    })
  }

  #pump(): void {
    if (this.#isBusy || this.#isStopped) return
    const bytes = this.#held.shift()
    if (!bytes) {
      if (this.#hasEnded) this.#parser.end()
      return
    }
    this.#isBusy = true
    if (this.#held.length < this.#limit) this.#body.resume()
    this.#parser.write(bytes, () => this.#whenTaken(() => this.#continue()))
  }

  #continue(): void {
    this.#isBusy = false
    this.#pump()
  }
}

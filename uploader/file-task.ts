import type { OpenedFile } from '../src/uploads/contract.ts'
import type { Request } from './exchange.ts'
import type { FileSource, FileStatus, FileView, NewUpload, Problem } from './types.ts'

/** What is done for a file: announce it, ask what has arrived, send a part (by number), join the parts, take it away. */
export type Step = 'open' | 'arrived' | number | 'complete' | 'delete'

export interface PendingStep {
  controller: AbortController
  started: number
  /** Bytes of a part that have left. */
  sent: number
}

type Phase = 'open' | 'arrived' | 'parts' | 'complete' | 'delete' | 'done' | 'failed' | 'removed'

/** One file on its way: which steps it still needs, what is in flight, and how often what failed. */
export class FileTask {
  readonly key: number
  readonly source: FileSource
  readonly flights = new Map<Step, PendingStep>()
  fileId: string | null
  phase: Phase
  problem: Problem | null = null
  retrying = false
  /** No step starts before; milliseconds since 1970. */
  notBefore = 0
  #partSize = 0
  #toSend: number[] = []
  #arrivedBytes = 0
  #failures = new Map<Step, number>()

  constructor(key: number, { source, fileId, done }: NewUpload) {
    this.key = key
    this.source = source
    this.fileId = fileId ?? null
    this.phase = done ? 'done' : fileId ? 'arrived' : 'open'
  }

  /** Waiting for its first request. */
  get queued(): boolean {
    return this.phase === 'open' && this.flights.size === 0 && !this.retrying
  }

  /** The step that can start now; null when there is none. */
  nextStep(): Step | null {
    if (this.phase === 'parts' && this.#toSend.length > 0) return this.#toSend[0]!
    if (this.flights.size > 0) return null
    if (this.phase === 'parts') return 'complete'
    return this.phase === 'done' || this.phase === 'failed' || this.phase === 'removed' ? null : this.phase
  }

  begin(step: Step): PendingStep {
    const flight = { controller: new AbortController(), started: Date.now(), sent: 0 }
    if (typeof step === 'number') this.#toSend.shift()
    if (step === 'complete') this.phase = 'complete'
    this.flights.set(step, flight)
    return flight
  }

  end(step: Step): void {
    this.flights.delete(step)
    if (this.phase === 'delete' && !this.fileId && this.flights.size === 0) this.phase = 'removed'
  }

  /** The step ended without its work done: it is to be done again. */
  putBack(step: Step): void {
    if (typeof step === 'number' && this.phase === 'parts') this.#toSend.unshift(step)
  }

  /** The step was answered well. */
  succeeded(step: Step, body: unknown): void {
    this.retrying = false
    this.#failures.delete(step)
    if (step === 'delete') this.phase = 'removed'
    if (step === 'open') this.#opened(body as OpenedFile)
    if (this.phase === 'delete') return
    if (step === 'arrived') this.#resumed(body as { partSize: number; partCount: number; parts: number[] })
    if (typeof step === 'number') this.#arrivedBytes += this.#length(step)
    if (step === 'complete') this.phase = 'done'
  }

  /** How often this step has failed now. */
  failed(step: Step): number {
    const failures = (this.#failures.get(step) ?? 0) + 1
    this.#failures.set(step, failures)
    return failures
  }

  giveUp(problem: Problem): void {
    this.phase = 'failed'
    this.problem = problem
    this.retrying = false
    this.abort()
  }

  /** Starts over where the server says it stands: the file as a whole when it is unknown there. */
  again(): void {
    this.phase = this.fileId ? 'arrived' : 'open'
    this.problem = null
    this.notBefore = 0
    this.#failures.clear()
  }

  /** The server no longer knows the file: announce it anew. */
  forget(): void {
    this.fileId = null
    this.#arrivedBytes = 0
    this.#toSend = []
    this.phase = 'open'
  }

  /** Parts that the server misses after all. */
  missing(parts: number[]): void {
    this.#toSend = parts
    this.#arrivedBytes = this.source.size - parts.reduce((sum, part) => sum + this.#length(part), 0)
    this.phase = 'parts'
  }

  /** Everything has arrived, as the server says. */
  arrived(): void {
    this.#toSend = []
    this.#arrivedBytes = this.source.size
    this.phase = 'complete'
  }

  /** Takes the file out; what the server has of it is deleted. */
  remove(): void {
    this.abort()
    this.phase = this.fileId || this.flights.has('open') ? 'delete' : 'removed'
    this.notBefore = 0
  }

  /** Aborts what is in flight. An announcement goes through: its answer holds the id by which it can be taken back. */
  abort(): void {
    for (const [step, { controller }] of this.flights) if (step !== 'open') controller.abort()
  }

  request(step: Step, shareId: string): Request {
    const files = `/api/shares/${encodeURIComponent(shareId)}/files`
    const { name, size, type } = this.source
    if (step === 'open') return { method: 'POST', path: files, body: type ? { name, size, type } : { name, size } }
    const file = `${files}/${encodeURIComponent(this.fileId!)}`
    if (step === 'arrived') return { method: 'GET', path: `${file}/parts` }
    if (step === 'complete') return { method: 'POST', path: `${file}/complete` }
    if (step === 'delete') return { method: 'DELETE', path: file }
    const start = (step - 1) * this.#partSize
    return { method: 'PUT', path: `${file}/parts/${step}`, bytes: this.source.slice(start, start + this.#length(step)) }
  }

  view(): FileView {
    const { key, problem } = this
    return { key, name: this.source.name, size: this.source.size, sent: this.#sent(), status: this.#status(), problem }
  }

  #opened({ id, partSize, partCount }: OpenedFile): void {
    this.fileId = id
    if (this.phase === 'delete') return
    this.#partSize = partSize
    this.#toSend = numbers(partCount)
    this.phase = 'parts'
  }

  #resumed({ partSize, partCount, parts }: { partSize: number; partCount: number; parts: number[] }): void {
    const arrived = new Set(parts)
    this.#partSize = partSize
    this.missing(numbers(partCount).filter((part) => !arrived.has(part)))
  }

  #length(part: number): number {
    return Math.min(this.#partSize, this.source.size - (part - 1) * this.#partSize)
  }

  #sent(): number {
    if (this.phase === 'done') return this.source.size
    let sent = this.#arrivedBytes
    for (const flight of this.flights.values()) sent += flight.sent
    return Math.min(sent, this.source.size)
  }

  #status(): FileStatus {
    if (this.phase === 'done' || this.phase === 'failed') return this.phase
    if (this.retrying) return 'retrying'
    if (this.queued) return 'queued'
    return this.phase === 'complete' ? 'completing' : 'sending'
  }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

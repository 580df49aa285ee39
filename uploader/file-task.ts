import type { OpenedFile } from '../src/uploads/contract.ts'
import type { Request } from './exchange.ts'
import type { Pack } from './pack.ts'
import type { FileSource, FileStatus, FileView, NewUpload, Problem } from './types.ts'

/**
 * A request for a file: announce it, list the parts that arrived, send a part (by number), complete
 * it, delete it.
 */
export type Step = 'open' | 'arrived' | number | 'complete' | 'delete'

export interface PendingStep {
  controller: AbortController
  started: number
  /** Bytes of a part that were sent. */
  sent: number
}

type Phase = 'open' | 'arrived' | 'parts' | 'complete' | 'delete' | 'done' | 'failed' | 'removed'

/**
 * The state of one file: the steps that it still needs, the requests in flight, and how often each
 * step failed.
 */
export class FileTask {
  readonly key: number
  readonly source: FileSource
  readonly flights = new Map<Step, PendingStep>()
  fileId: string | null
  phase: Phase
  problem: Problem | null = null
  retrying = false
  /** No step starts before this time, in milliseconds since 1970. */
  notBefore = 0
  /** The pack that the file is sent in. */
  pack: Pack | null = null
  #mayBePacked = true
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

  /** Whether the file waits for its first request. */
  get queued(): boolean {
    return this.phase === 'open' && this.flights.size === 0 && !this.retrying && !this.pack?.flight
  }

  /** Whether the file may be sent in a pack: nothing of it was sent otherwise. */
  get packable(): boolean {
    return this.#mayBePacked && this.queued && this.pack === null && this.notBefore === 0
  }

  /** Sends the file in a pack, which gives it its id. */
  enterPack(pack: Pack, fileId: string): void {
    this.pack = pack
    this.fileId = fileId
  }

  /** Continues after a pack: it has arrived, or may have arrived, or is sent in another one. */
  leavePack(next: 'done' | 'alone' | 'repack'): void {
    this.pack = null
    this.retrying = false
    this.#mayBePacked = next === 'repack'
    if (this.phase === 'delete') return
    this.phase = next === 'done' ? 'done' : next === 'alone' ? 'arrived' : 'open'
    if (next === 'repack') this.fileId = null
  }

  /** Returns the step that can start now; null when there is none. */
  nextStep(): Step | null {
    if (this.pack) return null
    const [part] = this.#toSend
    if (this.phase === 'parts' && part !== undefined) return part
    if (this.flights.size > 0) return null
    if (this.phase === 'parts') return 'complete'
    return this.phase === 'done' || this.phase === 'failed' || this.phase === 'removed' ? null : this.phase
  }

  /** Returns the length of a part in bytes; 0 for other steps. */
  bytesOf(step: Step): number {
    return typeof step === 'number' ? this.#length(step) : 0
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

  /** Queues a step again that ended without success. */
  putBack(step: Step): void {
    if (typeof step === 'number' && this.phase === 'parts') this.#toSend.unshift(step)
  }

  /** Records that a step succeeded. */
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

  /** Records a failure of a step and returns how often it has failed. */
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

  /** Retries a failed file from the parts that the server has. */
  again(): void {
    this.phase = this.fileId ? 'arrived' : 'open'
    this.problem = null
    this.notBefore = 0
    this.#failures.clear()
  }

  /** Announces the file again, because the server no longer knows it. */
  forget(): void {
    this.fileId = null
    this.#arrivedBytes = 0
    this.#toSend = []
    this.phase = 'open'
  }

  /** Sends the parts that the server is missing. */
  missing(parts: number[]): void {
    this.#toSend = parts
    this.#arrivedBytes = this.source.size - parts.reduce((sum, part) => sum + this.#length(part), 0)
    this.phase = 'parts'
  }

  /** Records that the server has every part. */
  arrived(): void {
    this.#toSend = []
    this.#arrivedBytes = this.source.size
    this.phase = 'complete'
  }

  /** Removes the file, and deletes what the server has of it. */
  remove(): void {
    this.abort()
    this.phase = this.fileId || this.flights.has('open') ? 'delete' : 'removed'
    this.notBefore = 0
  }

  /**
   * Aborts the requests in flight, except an announcement: its response has the id that is needed
   * to delete the file.
   */
  abort(): void {
    for (const [step, { controller }] of this.flights) if (step !== 'open') controller.abort()
  }

  request(step: Step, shareId: string): Request {
    const files = `/api/shares/${encodeURIComponent(shareId)}/files`
    const { name, size, type } = this.source
    if (step === 'open') return { method: 'POST', path: files, body: type ? { name, size, type } : { name, size } }
    if (this.fileId === null) throw new Error('The file has not been announced')
    const file = `${files}/${encodeURIComponent(this.fileId)}`
    if (step === 'arrived') return { method: 'GET', path: `${file}/parts` }
    if (step === 'complete') return { method: 'POST', path: `${file}/complete` }
    if (step === 'delete') return { method: 'DELETE', path: file }
    const start = (step - 1) * this.#partSize
    return { method: 'PUT', path: `${file}/parts/${step}`, bytes: this.source.slice(start, start + this.#length(step)) }
  }

  view(): FileView {
    const { key, problem } = this
    const { name } = this.source.plain ?? this.source
    return { key, name, size: this.source.size, sent: this.#sent(), status: this.#status(), problem }
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
    if (this.pack) return this.pack.sentOf(this)
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

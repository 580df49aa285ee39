import { packedFileMaxBytes, packFilesMax, packMaxBytes } from '../src/uploads/packs/limits.ts'
import { backoff } from './backoff.ts'
import type { Outcome, Request } from './exchange.ts'
import type { FileTask, PendingStep } from './file-task.ts'
import type { Tuning } from './types.ts'

/** Waiting files that one pack is gathered from. */
const scanned = 1_024
/** How often a pack may fail before its files are sent one by one. */
const attempts = 3
const encoder = new TextEncoder()

/** Returns bytes one after the other as one body. */
export type JoinBytes = (parts: Blob[]) => Blob

/** Joins blobs of a browser. */
export const joinBlobs: JoinBytes = (parts) => new Blob(parts)

/** What happens to a pack's files next: they are done, uploaded one by one, or packed again. */
type Next = 'done' | 'alone' | 'repack' | null

/**
 * Small files that are sent in one request. Its id and its content never change, so a pack whose
 * response was lost is sent again as it was, and the server stores it once.
 */
export class Pack {
  readonly tasks: readonly FileTask[]
  /** Bytes of all files. */
  readonly size: number
  flight: PendingStep | null = null
  /** Whether it was never sent. */
  isNew = true
  /** It is not sent before this time, in milliseconds since 1970. */
  notBefore = 0
  readonly #join: JoinBytes
  readonly #manifest: Blob
  readonly #starts = new Map<FileTask, number>()
  #failures = 0

  /** The last four digits of `id` are 0000; in the ids of the files, they are the position. */
  constructor(tasks: readonly FileTask[], join: JoinBytes, id = randomPackId()) {
    this.tasks = tasks
    this.#join = join
    this.#manifest = new Blob([`${JSON.stringify({ id, files: tasks.map(describe) })}\n`])
    let start = 0
    for (const [position, task] of tasks.entries()) {
      task.enterPack(this, id.slice(0, -4) + position.toString(16).padStart(4, '0'))
      this.#starts.set(task, start)
      start += task.source.size
    }
    this.size = start
  }

  begin(): PendingStep {
    this.isNew = false
    this.flight = { controller: new AbortController(), started: Date.now(), sent: 0 }
    return this.flight
  }

  abort(): void {
    this.flight?.controller.abort()
  }

  request(shareId: string): Request {
    const bytes = this.#join([this.#manifest, ...this.tasks.map(({ source }) => source.slice(0, source.size))])
    return { method: 'POST', path: `/api/shares/${encodeURIComponent(shareId)}/packs`, bytes }
  }

  /** Records that `sent` bytes of the request were sent, and reports how many more of each file. */
  progress(sent: number, report: (task: FileTask, bytes: number) => void): void {
    if (!this.flight) return
    const before = this.flight.sent
    this.flight.sent = Math.max(before, sent - this.#manifest.size)
    for (const task of this.tasks) {
      const more = this.sentOf(task) - this.#sentOf(task, before)
      if (more > 0) report(task, more)
    }
  }

  /** Returns how many bytes of a file were sent. */
  sentOf(task: FileTask): number {
    return this.#sentOf(task, this.flight?.sent ?? 0)
  }

  /** Updates the files by the outcome of the request, and returns where they continue; null: here. */
  conclude(outcome: Outcome, { retryDelay, retryDelayMax }: Tuning): Next {
    this.flight = null
    const next = this.#next(outcome)
    if (outcome.kind === 'again' && next === null) {
      this.notBefore = Date.now() + backoff(this.#failures, retryDelay, retryDelayMax)
      for (const task of this.tasks) task.retrying = true
    }
    if (next) for (const task of this.tasks) task.leavePack(next)
    return next
  }

  #next(outcome: Outcome): Next {
    if (outcome.kind === 'done') return 'done'
    if (outcome.kind === 'refused') return 'alone'
    if (outcome.kind === 'again') return ++this.#failures < attempts ? null : 'alone'
    // Too large: nothing was stored, and the user may remove files.
    const isFull = outcome.kind === 'stop' && (outcome.problem.details.status === 413 || outcome.problem.details.status === 507)
    return isFull ? 'repack' : null
  }

  #sentOf(task: FileTask, sent: number): number {
    return Math.min(Math.max(0, sent - (this.#starts.get(task) ?? 0)), task.source.size)
  }
}

/**
 * Takes small files out of `waiting` for a pack that begins with `first`. Returns null, and takes
 * none, if they would be fewer than two.
 */
export function gatherPack(first: FileTask, waiting: FileTask[], join: JoinBytes): Pack | null {
  if (!isSmall(first)) return null
  const names = new Set<string>()
  let left = packMaxBytes - 100 // for the manifest without its files, so that no request exceeds 8 MiB
  const fits = (task: FileTask) => {
    const bytes = task.source.size + encoder.encode(JSON.stringify(describe(task))).length + 1
    if (bytes > left || names.size === packFilesMax || names.has(task.source.name)) return false
    left -= bytes
    names.add(task.source.name)
    return true
  }
  fits(first)
  const chosen = new Set(waiting.slice(0, scanned).filter((task) => isSmall(task) && fits(task)))
  if (chosen.size === 0) return null
  waiting.splice(0, scanned, ...waiting.slice(0, scanned).filter((task) => !chosen.has(task)))
  return new Pack([first, ...chosen], join)
}

function isSmall(task: FileTask): boolean {
  return task.packable && task.source.size < packedFileMaxBytes
}

function describe({ source: { name, size, type } }: FileTask) {
  return type ? { name, size, type } : { name, size }
}

/** `crypto.randomUUID` exists only on secure pages. */
function randomPackId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes.set([((bytes[6] ?? 0) & 0x0f) | 0x40], 6)
  bytes.set([((bytes[8] ?? 0) & 0x3f) | 0x80], 8)
  bytes.set([0, 0], 14)
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

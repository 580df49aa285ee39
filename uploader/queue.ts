import type { FileTask, Step } from './file-task.ts'
import { gatherPack, type JoinBytes, type Pack } from './pack.ts'

/** What to send next: a step of a file, or a pack of small files. */
type Next = { task: FileTask; step: Step } | { pack: Pack }

/** Keeps the files in the order in which they were added, and chooses the next one. */
export class Queue {
  readonly #tasks = new Map<number, FileTask>()
  /** Started and not finished. */
  readonly #active = new Set<FileTask>()
  readonly #packs = new Set<Pack>()
  readonly #join: JoinBytes | null
  #waiting: FileTask[] = []

  /** With `join`, small files are sent in packs. */
  constructor(join: JoinBytes | null) {
    this.#join = join
  }

  add(task: FileTask): void {
    this.#tasks.set(task.key, task)
    if (task.phase !== 'done') this.#waiting.push(task)
  }

  get(key: number): FileTask | undefined {
    return this.#tasks.get(key)
  }

  /** Returns every file except the removed ones. */
  all(): FileTask[] {
    return [...this.#tasks.values()]
  }

  /** Returns the files that have these ids on the server. */
  ofIds(ids: unknown): FileTask[] {
    return Array.isArray(ids) ? this.all().filter(({ fileId }) => fileId !== null && ids.includes(fileId)) : []
  }

  /** Whether nothing is left to do. */
  get idle(): boolean {
    return this.#active.size === 0 && this.#packs.size === 0 && this.#waiting.length === 0
  }

  /** Continues a file that was finished. */
  activate(task: FileTask): void {
    this.#active.add(task)
  }

  /**
   * Returns the next step, of the file with the fewest requests in flight, so that a big file does
   * not starve small ones. Among equals the oldest file is first. A file that waits does not block
   * the others. No file is announced while the part of another one does not fit beside those in
   * flight.
   */
  next(now: number, fits: (bytes: number) => boolean): Next | null {
    let best: { task: FileTask; step: Step } | null = null
    let heldBack = false
    for (const pack of this.#packs) {
      if (pack.flight || pack.notBefore > now) continue
      if (fits(pack.size)) return { pack }
      heldBack = true
    }
    for (const task of this.#active) {
      const step = task.notBefore <= now ? task.nextStep() : null
      if (step === null) continue
      if (!fits(task.bytesOf(step))) heldBack ||= task.flights.size === 0
      else if (!best || task.flights.size < best.task.flights.size) best = { task, step }
    }
    if (best?.task.flights.size === 0) return best
    return (heldBack ? null : this.#open(fits)) ?? best
  }

  /** Returns the milliseconds until the first waiting file may continue; null when none waits. */
  wakeIn(now: number): number | null {
    const waits = [...this.#active, ...this.#packs].map(({ notBefore }) => notBefore - now).filter((wait) => wait > 0)
    return waits.length > 0 ? Math.min(...waits) : null
  }

  /** Updates the queue after a file's phase has changed. */
  settle(task: FileTask): void {
    if (task.phase === 'done' || task.phase === 'failed') this.#active.delete(task)
    if (task.phase !== 'removed') return
    this.#active.delete(task)
    this.#tasks.delete(task.key)
  }

  /** Updates the queue after the files of a pack have left it. */
  settlePack(pack: Pack): void {
    this.#packs.delete(pack)
    this.#waiting.unshift(...pack.tasks.filter(({ packable }) => packable))
    for (const task of pack.tasks) {
      if (!task.packable) this.#active.add(task)
      this.settle(task)
    }
  }

  /** Aborts every request in flight. */
  abort(): void {
    for (const pack of this.#packs) pack.abort()
    for (const task of this.#active) task.abort()
  }

  /** Waits until removed files are deleted, because the next file may need their space. */
  #open(fits: (bytes: number) => boolean): Next | null {
    for (const { phase } of this.#active) if (phase === 'delete') return null
    for (let task = this.#waiting.shift(); task; task = this.#waiting.shift()) {
      const step = task.nextStep()
      if (step === null || this.#active.has(task)) continue // removed, or failed, or begun while it waited
      const pack = this.#join && gatherPack(task, this.#waiting, this.#join)
      if (pack) {
        this.#packs.add(pack)
        return fits(pack.size) ? { pack } : null
      }
      this.#active.add(task)
      return { task, step }
    }
    return null
  }
}

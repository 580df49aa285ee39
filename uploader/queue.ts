import type { FileTask, Step } from './file-task.ts'

/** The files in the order in which they were added, and whose turn it is. */
export class Queue {
  readonly #tasks = new Map<number, FileTask>()
  /** Begun and not over. */
  readonly #active = new Set<FileTask>()
  #waiting: FileTask[] = []

  add(task: FileTask): void {
    this.#tasks.set(task.key, task)
    if (task.phase !== 'done') this.#waiting.push(task)
  }

  get(key: number): FileTask | undefined {
    return this.#tasks.get(key)
  }

  /** Every file but the removed ones. */
  all(): FileTask[] {
    return [...this.#tasks.values()]
  }

  /** The files that the server knows by these ids. */
  ofIds(ids: unknown): FileTask[] {
    return Array.isArray(ids) ? this.all().filter(({ fileId }) => fileId !== null && ids.includes(fileId)) : []
  }

  /** Nothing is left to do. */
  get idle(): boolean {
    return this.#active.size === 0 && this.#waiting.length === 0
  }

  /** Lets a file take part again after it was over. */
  activate(task: FileTask): void {
    this.#active.add(task)
  }

  /**
   * The next step: of the file with the least in flight, so that a big file does not starve small ones; among equals the oldest. A file
   * that waits or stalls takes no turn and blocks nobody.
   */
  next(now: number): { task: FileTask; step: Step } | null {
    let best: { task: FileTask; step: Step } | null = null
    for (const task of this.#active) {
      const step = task.notBefore <= now ? task.nextStep() : null
      if (step !== null && (!best || task.flights.size < best.task.flights.size)) best = { task, step }
    }
    if (best?.task.flights.size === 0) return best
    return this.#open() ?? best
  }

  /** Milliseconds until the first file that waits may go on; null when none waits. */
  wakeIn(now: number): number | null {
    const waits = [...this.#active].map(({ notBefore }) => notBefore - now).filter((wait) => wait > 0)
    return waits.length > 0 ? Math.min(...waits) : null
  }

  /** Takes note of how far a file has come. */
  settle(task: FileTask): void {
    if (task.phase === 'done' || task.phase === 'failed') this.#active.delete(task)
    if (task.phase !== 'removed') return
    this.#active.delete(task)
    this.#tasks.delete(task.key)
  }

  /** The space that a removed file takes is to be free before the next one is announced. */
  #open(): { task: FileTask; step: Step } | null {
    for (const { phase } of this.#active) if (phase === 'delete') return null
    for (let task = this.#waiting.shift(); task; task = this.#waiting.shift()) {
      const step = task.nextStep()
      if (step === null || this.#active.has(task)) continue // removed, or failed, or begun while it waited
      this.#active.add(task)
      return { task, step }
    }
    return null
  }
}

import type { FileTask } from './file-task.ts'
import { SpeedMeter } from './speed-meter.ts'
import type { FileView, Problem, UploadSnapshot, UploadState } from './types.ts'

interface UploadStatus {
  state: UploadState
  connection: UploadSnapshot['connection']
  problem: Problem | null
  tasks: () => FileTask[]
}

/**
 * Keeps the snapshot that a page shows. It changes at most once per `every` milliseconds and keeps
 * the entries of unchanged files.
 */
export class SnapshotStore {
  readonly #status: () => UploadStatus
  readonly #every: number
  readonly #meter = new SpeedMeter()
  readonly #listeners = new Set<() => void>()
  readonly #changed = new Set<FileTask>()
  #views = new Map<FileTask, FileView>()
  #snapshot: UploadSnapshot
  #timer: ReturnType<typeof setTimeout> | null = null
  #tick: ReturnType<typeof setInterval> | null = null

  constructor(status: () => UploadStatus, every: number) {
    this.#status = status
    this.#every = every
    this.#snapshot = this.#make()
  }

  get snapshot(): UploadSnapshot {
    return this.#snapshot
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Records that more bytes of a file were sent. */
  sent(task: FileTask, bytes: number): void {
    this.#meter.add(bytes)
    this.touch(task)
  }

  /** Marks a file, or the upload as a whole, as changed. */
  touch(task?: FileTask): void {
    if (task) this.#changed.add(task)
    this.#timer ??= setTimeout(() => this.publish(), this.#every)
  }

  /** Publishes a new snapshot at once. */
  publish(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#snapshot = this.#make()
    this.#keepTicking()
    for (const listener of this.#listeners) listener()
  }

  /** Updates the speed every second while the upload runs, even without other changes. */
  #keepTicking(): void {
    const running = this.#snapshot.state === 'running'
    if (running && !this.#tick) this.#tick = setInterval(() => this.touch(), 1_000)
    if (running || !this.#tick) return
    clearInterval(this.#tick)
    this.#tick = null
    this.#meter.reset()
  }

  #make(): UploadSnapshot {
    const { state, connection, problem, tasks } = this.#status()
    const files = this.#list(tasks())
    let totalBytes = 0
    let sentBytes = 0
    const count = { done: 0, failed: 0, retrying: 0 }
    for (const { size, sent, status } of files) {
      totalBytes += size
      sentBytes += sent
      if (status in count) count[status as keyof typeof count]++
    }
    const speed = state === 'running' ? this.#meter.read() : null
    const timeLeft = speed && sentBytes < totalBytes ? (totalBytes - sentBytes) / speed : null
    const counts = { doneFiles: count.done, failedFiles: count.failed, retryingFiles: count.retrying }
    return { state, connection, problem, files, totalBytes, sentBytes, ...counts, speed, timeLeft }
  }

  #list(tasks: FileTask[]): FileView[] {
    const before = this.#views
    this.#views = new Map()
    for (const task of tasks) {
      if (task.phase === 'delete') continue
      const unchanged = this.#changed.has(task) ? undefined : before.get(task)
      this.#views.set(task, unchanged ?? task.view())
    }
    this.#changed.clear()
    return [...this.#views.values()]
  }
}

import { Connection } from './connection.ts'
import { Dispatcher } from './dispatcher.ts'
import { Emitter } from './emitter.ts'
import { Exchange } from './exchange.ts'
import { FileTask } from './file-task.ts'
import type { JoinBytes } from './pack.ts'
import { Queue } from './queue.ts'
import { completeShare, discardUpload } from './share-steps.ts'
import { SnapshotStore } from './store.ts'
import type { Transport } from './transport.ts'
import {
  defaultTuning,
  type FileSource,
  type Journal,
  type NewUpload,
  type Problem,
  type Tuning,
  type UploadEvents,
  type UploadState,
} from './types.ts'

export interface UploaderOptions {
  shareId: string
  transport: Transport
  /** Resolves to false when the user must sign in again; rejects when the server is unreachable. */
  renewSession: () => Promise<boolean>
  journal?: Journal
  /**
   * What `cancel` deletes: the share that was created for this upload, or only the files added to
   * it.
   */
  discard?: 'share' | 'files'
  /** Joins the bytes of small files, which are then sent together; absent: they are sent one by one. */
  packs?: JoinBytes
  /**
   * Called with all files when they have arrived, before the uploader or the caller completes the
   * share. Returns a problem that stops the upload, or null.
   */
  beforeCompleting?: (files: readonly FileSource[], signal: AbortSignal) => Promise<Problem | null>
  /** Whether the share is completed when all files have arrived; false: the caller completes it. */
  completes?: boolean
  tuning?: Partial<Tuning>
}

const startable = new Set<UploadState>(['idle', 'pausing', 'paused', 'stopped'])
const ended = new Set<UploadState>(['finishing', 'completed', 'cancelling', 'cancelled'])

/**
 * Uploads files to a share and completes it. Parts of all files are sent in parallel, and failed
 * ones are repeated. It continues after network loss, sleep and the end of a session; only an error
 * response of the server stops it.
 */
export class Uploader {
  readonly shareId: string
  readonly #options: UploaderOptions
  readonly #tuning: Tuning
  readonly #events = new Emitter<UploadEvents>()
  readonly #queue: Queue
  readonly #connection: Connection
  readonly #exchange: Exchange
  readonly #dispatcher: Dispatcher
  readonly #store: SnapshotStore
  readonly #ending = new AbortController()
  #state: UploadState = 'idle'
  #problem: Problem | null = null
  #nextKey = 0
  #retryingTimer: ReturnType<typeof setTimeout> | undefined

  constructor(options: UploaderOptions) {
    const tuning = { ...defaultTuning, ...options.tuning }
    this.shareId = options.shareId
    this.#options = options
    this.#tuning = tuning
    this.#queue = new Queue(options.packs ?? null)
    const times = { retryDelay: tuning.retryDelay, retryDelayMax: tuning.retryDelayMax, timeout: Math.min(15_000, tuning.callTimeout) }
    this.#connection = new Connection(options.transport, times, () => this.#connectionChanged())
    this.#exchange = new Exchange(options.transport, this.#connection, options.renewSession, tuning)
    this.#dispatcher = new Dispatcher(options.shareId, this.#queue, this.#exchange, this.#connection, tuning, {
      changed: (task) => this.#store.touch(task),
      sent: (task, bytes) => this.#store.sent(task, bytes),
      opened: ({ key, fileId }) => fileId !== null && options.journal?.opened(key, fileId),
      done: (task) => {
        options.journal?.done(task.key)
        this.#events.emit('fileDone', task.view())
      },
      failed: (task) => this.#events.emit('fileFailed', task.view()),
      retrying: () => this.#emitRetrying(),
      stopped: (problem) => this.#enter('stopped', problem),
      idle: () => this.#settle(),
      drained: () => this.#enter('paused'),
    })
    this.#store = new SnapshotStore(() => this.#status(), tuning.publishEvery)
  }

  readonly subscribe = (listener: () => void) => this.#store.subscribe(listener)
  readonly getSnapshot = () => this.#store.snapshot

  on<K extends keyof UploadEvents>(type: K, listener: (detail: UploadEvents[K]) => void): () => void {
    return this.#events.on(type, listener)
  }

  /** Adds files; they are announced in this order. */
  add(files: readonly NewUpload[]): void {
    for (const file of files) this.#queue.add(new FileTask(this.#nextKey++, file))
    this.#resumeUpload()
  }

  /** Starts, or continues after a pause or a stop. */
  start(): void {
    if (!startable.has(this.#state)) return
    this.#connection.wake()
    this.#enter('running')
    this.#dispatcher.run()
  }

  /** Pauses until `start`. The parts in flight are finished before, so that none is sent twice. */
  pause(): void {
    if (this.#state !== 'running') return
    this.#enter('pausing')
    this.#dispatcher.drain()
    this.#haltIfLost()
  }

  /** Retries a failed file, or all of them. */
  retry(key?: number): void {
    const failed = this.#queue.all().filter((task) => task.phase === 'failed' && (key === undefined || task.key === key))
    for (const task of failed) this.#retryTask(task)
    if (failed.length > 0) this.#resumeUpload()
  }

  /** Removes files in any state, unless the share is being completed. */
  remove(...keys: number[]): void {
    const tasks = ended.has(this.#state) ? [] : keys.flatMap((key) => this.#queue.get(key) ?? [])
    for (const task of tasks) {
      task.remove()
      if (task.phase === 'delete') this.#queue.activate(task)
      this.#queue.settle(task)
      this.#options.journal?.removed(task.key)
    }
    if (tasks.length > 0) this.#resumeUpload()
  }

  /**
   * Cancels the upload and deletes what was sent. Resolves when that has succeeded or failed; the
   * server's clean-up deletes the rest.
   */
  async cancel(): Promise<void> {
    if (this.#state === 'completed' || this.#state === 'cancelling' || this.#state === 'cancelled') return
    this.#ending.abort()
    this.#enter('cancelling')
    this.#dispatcher.halt()
    const ids = this.#queue.all().flatMap(({ fileId }) => fileId ?? [])
    await discardUpload(this.#exchange, this.#options, ids, this.#tuning)
    this.#options.journal?.clear()
    this.#connection.close()
    this.#enter('cancelled')
  }

  /** Stops without deleting anything, so that another Uploader can resume. */
  close(): void {
    this.#halt()
    this.#ending.abort()
    this.#connection.close()
    clearTimeout(this.#retryingTimer)
  }

  /** Tries at once, because the machine woke up or the network came back. */
  wake(): void {
    this.#connection.wake()
    this.#dispatcher.pump()
  }

  #retryTask(task: FileTask): void {
    task.again()
    this.#queue.activate(task)
    this.#store.touch(task)
  }

  /** Continues an upload that runs or is incomplete, because there is new work. */
  #resumeUpload(): void {
    if (this.#state === 'incomplete') this.#enter('running')
    else this.#store.publish()
    if (this.#state === 'running') this.#dispatcher.run()
  }

  #settle(): void {
    const { completes = true, beforeCompleting } = this.#options
    const tasks = this.#queue.all()
    if (tasks.some(({ phase }) => phase === 'failed') || (completes && tasks.length === 0)) this.#enter('incomplete')
    else if (completes || (beforeCompleting && tasks.length > 0)) void this.#finish()
    else this.#conclude()
  }

  async #finish(): Promise<void> {
    this.#enter('finishing')
    const tasks = this.#queue.all()
    const { completes = true, beforeCompleting } = this.#options
    const { signal } = this.#ending
    const early = await beforeCompleting?.(
      tasks.map(({ source }) => source),
      signal,
    )
    const ours = new Set(tasks.map(({ fileId }) => fileId))
    const complete = () => completeShare(this.#exchange, this.shareId, ours, signal, this.#tuning)
    const problem = early ?? (completes ? await complete() : null)
    if (signal.aborted) return
    for (const task of this.#queue.ofIds(problem?.details.files)) this.#retryTask(task)
    if (problem) this.#enter('stopped', problem)
    else this.#conclude()
  }

  #conclude(): void {
    this.#options.journal?.clear()
    this.#connection.close()
    this.#enter('completed')
  }

  /** Emits one event for files that fail together. */
  #emitRetrying(): void {
    this.#retryingTimer ??= setTimeout(() => {
      this.#retryingTimer = undefined
      const count = this.#queue.all().filter(({ retrying }) => retrying).length
      if (count > 0) this.#events.emit('retrying', count)
    }, this.#tuning.publishEvery * 2)
  }

  #connectionChanged(): void {
    this.#haltIfLost()
    this.#store.publish()
    this.#dispatcher.pump()
  }

  /** Ends a pause that waits for parts, because without a connection they can't arrive. */
  #haltIfLost(): void {
    if (this.#state === 'pausing' && this.#connection.lost) this.#halt()
  }

  #halt(): void {
    if (this.#state === 'running' || this.#state === 'pausing') this.#enter('paused')
    this.#dispatcher.halt()
  }

  #enter(state: UploadState, problem: Problem | null = null): void {
    this.#state = state
    this.#problem = problem
    this.#store.publish()
    this.#events.emit('state', state)
  }

  #status() {
    const connection = this.#connection.lost ? ('lost' as const) : this.#dispatcher.held ? ('busy' as const) : ('ok' as const)
    return { state: this.#state, connection, problem: this.#problem, tasks: () => this.#queue.all() }
  }
}

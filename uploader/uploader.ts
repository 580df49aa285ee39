import { Connection } from './connection.ts'
import { Dispatcher } from './dispatcher.ts'
import { Emitter } from './emitter.ts'
import { Exchange } from './exchange.ts'
import { FileTask } from './file-task.ts'
import { Queue } from './queue.ts'
import { completeShare, discardUpload } from './share-steps.ts'
import { SnapshotStore } from './store.ts'
import type { Transport } from './transport.ts'
import { defaultTuning, type Journal, type NewUpload, type Problem, type Tuning, type UploadEvents, type UploadState } from './types.ts'

export interface UploaderOptions {
  shareId: string
  transport: Transport
  /** True when there is a session again; false when the user must sign in; rejects when the server is out of reach. */
  renewSession: () => Promise<boolean>
  journal?: Journal
  /** What `cancel` deletes: a share that was made for this upload, or only the files added to it. */
  discard?: 'share' | 'files'
  /** Whether the share is completed when all files have arrived; false leaves that to whoever edits it. */
  completes?: boolean
  tuning?: Partial<Tuning>
}

const over = new Set<UploadState>(['finishing', 'completed', 'cancelling', 'cancelled'])

/**
 * Sends files into a share and completes it: parts in parallel over all files, failed ones again, after a loss of the network, a sleep or
 * the end of a session too. Nothing but a refusal of the server stops it.
 */
export class Uploader {
  readonly shareId: string
  readonly #options: UploaderOptions
  readonly #tuning: Tuning
  readonly #events = new Emitter<UploadEvents>()
  readonly #queue = new Queue()
  readonly #connection: Connection
  readonly #exchange: Exchange
  readonly #dispatcher: Dispatcher
  readonly #store: SnapshotStore
  readonly #ending = new AbortController()
  #state: UploadState = 'idle'
  #problem: Problem | null = null
  #nextKey = 0
  #toldRetrying: ReturnType<typeof setTimeout> | undefined

  constructor(options: UploaderOptions) {
    const tuning = { ...defaultTuning, ...options.tuning }
    this.shareId = options.shareId
    this.#options = options
    this.#tuning = tuning
    const times = { retryDelay: tuning.retryDelay, retryDelayMax: tuning.retryDelayMax, timeout: Math.min(15_000, tuning.callTimeout) }
    this.#connection = new Connection(options.transport, times, () => this.#connectionChanged())
    this.#exchange = new Exchange(options.transport, this.#connection, options.renewSession, tuning)
    this.#dispatcher = new Dispatcher(options.shareId, this.#queue, this.#exchange, this.#connection, tuning, {
      changed: (task) => this.#store.touch(task),
      sent: (task, bytes) => this.#store.sent(task, bytes),
      opened: (task) => options.journal?.opened(task.key, task.fileId!),
      done: (task) => {
        options.journal?.done(task.key)
        this.#events.emit('fileDone', task.view())
      },
      failed: (task) => this.#events.emit('fileFailed', task.view()),
      retrying: () => this.#tellRetrying(),
      stopped: (problem) => this.#enter('stopped', problem),
      idle: () => this.#settle(),
    })
    this.#store = new SnapshotStore(() => this.#situation(), tuning.publishEvery)
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

  /** Starts, or goes on after a pause or a stop. */
  start(): void {
    if (this.#state !== 'idle' && this.#state !== 'paused' && this.#state !== 'stopped') return
    this.#connection.wake()
    this.#enter('running')
    this.#dispatcher.run()
  }

  /** Holds everything until `start`; parts in flight are broken off and sent again then. */
  pause(): void {
    if (this.#state !== 'running') return
    this.#enter('paused')
    this.#dispatcher.halt()
  }

  /** Tries a failed file again, or all of them. */
  retry(key?: number): void {
    const failed = this.#queue.all().filter((task) => task.phase === 'failed' && (key === undefined || task.key === key))
    for (const task of failed) this.#tryAgain(task)
    if (failed.length > 0) this.#resumeUpload()
  }

  /** Takes files out, whatever has become of them; not once the share is being completed. */
  remove(...keys: number[]): void {
    const tasks = over.has(this.#state) ? [] : keys.flatMap((key) => this.#queue.get(key) ?? [])
    for (const task of tasks) {
      task.remove()
      if (task.phase === 'delete') this.#queue.activate(task)
      this.#queue.settle(task)
      this.#options.journal?.removed(task.key)
    }
    if (tasks.length > 0) this.#resumeUpload()
  }

  /** Ends the upload and deletes what was sent. Resolves when that is done, or given up; the server's clean-up takes the rest. */
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

  /** Leaves everything as it is, to be resumed by another Uploader. */
  close(): void {
    this.pause()
    this.#ending.abort()
    this.#connection.close()
    clearTimeout(this.#toldRetrying)
  }

  /** The machine woke up, or the network came back: do not wait for the next try. */
  wake(): void {
    this.#connection.wake()
    this.#dispatcher.pump()
  }

  #tryAgain(task: FileTask): void {
    task.again()
    this.#queue.activate(task)
    this.#store.touch(task)
  }

  /** There is something new to do for an upload that runs, or that had come to its end. */
  #resumeUpload(): void {
    if (this.#state === 'incomplete') this.#enter('running')
    else this.#store.publish()
    if (this.#state === 'running') this.#dispatcher.run()
  }

  #settle(): void {
    const { completes = true } = this.#options
    const tasks = this.#queue.all()
    if (tasks.some(({ phase }) => phase === 'failed') || (completes && tasks.length === 0)) this.#enter('incomplete')
    else if (completes) void this.#finish()
    else this.#conclude()
  }

  async #finish(): Promise<void> {
    this.#enter('finishing')
    const ours = new Set(this.#queue.all().map(({ fileId }) => fileId))
    const problem = await completeShare(this.#exchange, this.shareId, ours, this.#ending.signal, this.#tuning)
    if (this.#ending.signal.aborted) return
    for (const task of this.#queue.ofIds(problem?.details.files)) this.#tryAgain(task)
    if (problem) this.#enter('stopped', problem)
    else this.#conclude()
  }

  #conclude(): void {
    this.#options.journal?.clear()
    this.#connection.close()
    this.#enter('completed')
  }

  /** One notice for the files that fail together. */
  #tellRetrying(): void {
    this.#toldRetrying ??= setTimeout(() => {
      this.#toldRetrying = undefined
      const count = this.#queue.all().filter(({ retrying }) => retrying).length
      if (count > 0) this.#events.emit('retrying', count)
    }, this.#tuning.publishEvery * 2)
  }

  #connectionChanged(): void {
    this.#store.publish()
    this.#dispatcher.pump()
  }

  #enter(state: UploadState, problem: Problem | null = null): void {
    this.#state = state
    this.#problem = problem
    this.#store.publish()
    this.#events.emit('state', state)
  }

  #situation() {
    const connection = this.#connection.lost ? ('lost' as const) : this.#dispatcher.held ? ('busy' as const) : ('ok' as const)
    return { state: this.#state, connection, problem: this.#problem, tasks: () => this.#queue.all() }
  }
}

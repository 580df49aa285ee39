import { backoff } from './backoff.ts'
import { Connection } from './connection.ts'
import { Emitter } from './emitter.ts'
import { Exchange, type Outcome } from './exchange.ts'
import { FileTask, type Flight, type Step } from './file-task.ts'
import { Flow } from './flow.ts'
import { mend } from './mend.ts'
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
  tuning?: Partial<Tuning>
}

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
  readonly #flow: Flow
  readonly #connection: Connection
  readonly #exchange: Exchange
  readonly #store: SnapshotStore
  #state: UploadState = 'idle'
  #problem: Problem | null = null
  #nextKey = 0
  #inFlight = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #ending = new AbortController()
  #toldRetrying: ReturnType<typeof setTimeout> | undefined

  constructor(options: UploaderOptions) {
    const tuning = { ...defaultTuning, ...options.tuning }
    this.shareId = options.shareId
    this.#options = options
    this.#tuning = tuning
    this.#flow = new Flow(tuning.concurrency, tuning.retryDelay, tuning.retryDelayMax)
    const times = { retryDelay: tuning.retryDelay, retryDelayMax: tuning.retryDelayMax, timeout: Math.min(15_000, tuning.callTimeout) }
    this.#connection = new Connection(options.transport, times, () => this.#connectionChanged())
    this.#exchange = new Exchange(options.transport, this.#connection, options.renewSession, tuning)
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
    this.#store.publish()
    if (this.#state === 'incomplete') this.#enter('running')
    this.#pump()
  }

  /** Starts, or goes on after a pause or a stop. */
  start(): void {
    if (this.#state !== 'idle' && this.#state !== 'paused' && this.#state !== 'stopped') return
    this.#problem = null
    this.#connection.wake()
    this.#enter('running')
    this.#pump()
  }

  /** Holds everything until `start`; parts in flight are broken off and sent again then. */
  pause(): void {
    if (this.#state !== 'running') return
    this.#enter('paused')
    this.#abortAll()
  }

  /** Tries a failed file again, or all of them. */
  retry(key?: number): void {
    const failed = this.#queue.all().filter((task) => task.phase === 'failed' && (key === undefined || task.key === key))
    for (const task of failed) this.#tryAgain(task)
    if (this.#state === 'incomplete' && failed.length > 0) this.#enter('running')
    this.#pump()
  }

  /** Takes one file out, whatever has become of it. */
  remove(key: number): void {
    const task = this.#queue.get(key)
    if (!task) return
    task.remove()
    if (task.phase === 'delete') this.#queue.activate(task)
    this.#options.journal?.removed(key)
    this.#queue.settle(task)
    this.#store.publish()
    if (this.#state === 'incomplete') this.#enter('running')
    this.#pump()
  }

  /** Ends the upload and deletes what was sent. Resolves when that is done, or given up; the server's clean-up takes the rest. */
  async cancel(): Promise<void> {
    if (this.#state === 'completed' || this.#state === 'cancelling' || this.#state === 'cancelled') return
    this.#ending.abort()
    this.#enter('cancelling')
    this.#abortAll()
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
    clearTimeout(this.#timer)
    clearTimeout(this.#toldRetrying)
  }

  /** The machine woke up, or the network came back: do not wait for the next try. */
  wake(): void {
    this.#connection.wake()
    this.#pump()
  }

  #tryAgain(task: FileTask): void {
    task.again()
    this.#queue.activate(task)
    this.#store.touch(task)
  }

  #pump(): void {
    if (this.#state !== 'running') return
    clearTimeout(this.#timer)
    const now = Date.now() // one moment for all: between two looks at the clock a wait could end unseen
    const held = this.#flow.wait(now)
    while (!this.#connection.lost && held === 0 && this.#inFlight < this.#flow.limit) {
      const next = this.#queue.next(now)
      if (!next) break
      void this.#run(next.task, next.step)
    }
    const delay = held || this.#queue.wakeIn(now)
    if (delay !== null) this.#timer = setTimeout(() => this.#pump(), delay)
    if (this.#inFlight === 0 && this.#queue.idle) this.#settle()
  }

  async #run(task: FileTask, step: Step): Promise<void> {
    const flight = task.begin(step)
    this.#inFlight++
    this.#store.touch(task)
    const onProgress = typeof step === 'number' ? (sent: number) => this.#progress(task, flight, sent) : undefined
    const outcome = await this.#exchange.send(task.request(step, this.shareId), flight.controller.signal, onProgress)
    this.#inFlight--
    this.#apply(task, step, flight, outcome)
    task.end(step)
    this.#queue.settle(task)
    this.#store.touch(task)
    this.#pump()
  }

  #progress(task: FileTask, flight: Flight, sent: number): void {
    const more = sent - flight.sent
    flight.sent = sent
    this.#store.sent(task, Math.max(0, more))
  }

  #apply(task: FileTask, step: Step, { started }: Flight, outcome: Outcome): void {
    if (outcome.kind === 'done') this.#succeeded(task, step, outcome.body)
    else task.putBack(step)
    if (outcome.kind === 'busy') this.#flow.busy(started, outcome.retryAfter)
    if (outcome.kind === 'again') this.#again(task, step, outcome.problem)
    if (outcome.kind === 'refused') this.#refused(task, step, outcome.problem)
    if (outcome.kind === 'stop') this.#stop(outcome.problem)
  }

  #succeeded(task: FileTask, step: Step, body: unknown): void {
    task.succeeded(step, body)
    this.#flow.succeeded()
    if (step === 'open') this.#options.journal?.opened(task.key, task.fileId!)
    if (task.phase !== 'done') return
    this.#options.journal?.done(task.key)
    this.#events.emit('fileDone', task.view())
  }

  #again(task: FileTask, step: Step, problem: Problem): void {
    if (task.phase === 'failed' || task.phase === 'removed') return
    const failures = task.failed(step)
    if (failures >= this.#tuning.attempts) {
      this.#fail(task, problem)
      return
    }
    task.notBefore = Date.now() + backoff(failures, this.#tuning.retryDelay, this.#tuning.retryDelayMax)
    task.retrying = true
    this.#tellRetrying()
  }

  #refused(task: FileTask, step: Step, problem: Problem): void {
    const mended = mend(task, step, problem)
    if (mended === 'hopeless') this.#fail(task, problem)
    if (mended === 'again') this.#again(task, step, problem)
  }

  #fail(task: FileTask, problem: Problem): void {
    task.giveUp(problem)
    this.#events.emit('fileFailed', task.view())
  }

  #stop(problem: Problem): void {
    if (this.#state !== 'running') return
    this.#problem = problem
    this.#enter('stopped')
    this.#abortAll()
  }

  #settle(): void {
    const tasks = this.#queue.all()
    if (tasks.length === 0 || tasks.some(({ phase }) => phase === 'failed')) this.#enter('incomplete')
    else void this.#finish()
  }

  async #finish(): Promise<void> {
    this.#enter('finishing')
    const ours = new Set(this.#queue.all().map(({ fileId }) => fileId))
    const problem = await completeShare(this.#exchange, this.shareId, ours, this.#ending.signal, this.#tuning)
    if (this.#ending.signal.aborted) return
    this.#problem = problem
    for (const task of this.#queue.ofIds(problem?.details.files)) this.#tryAgain(task)
    if (!problem) {
      this.#options.journal?.clear()
      this.#connection.close()
    }
    this.#enter(problem ? 'stopped' : 'completed')
  }

  #abortAll(): void {
    clearTimeout(this.#timer)
    for (const task of this.#queue.all()) task.abort()
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
    this.#pump()
  }

  #enter(state: UploadState): void {
    this.#state = state
    this.#store.publish()
    this.#events.emit('state', state)
  }

  #situation() {
    const connection = this.#connection.lost ? ('lost' as const) : this.#flow.wait() > 0 ? ('busy' as const) : ('ok' as const)
    return { state: this.#state, connection, problem: this.#problem, tasks: () => this.#queue.all() }
  }
}

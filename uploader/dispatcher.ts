import { backoff } from './backoff.ts'
import type { Connection } from './connection.ts'
import type { Exchange, Outcome } from './exchange.ts'
import type { FileTask, PendingStep, Step } from './file-task.ts'
import { ConcurrencyControl } from './flow.ts'
import type { Pack } from './pack.ts'
import type { Queue } from './queue.ts'
import { recover } from './recover.ts'
import { SendWindow } from './send-window.ts'
import type { Problem, Tuning } from './types.ts'

/** Events of the dispatcher. */
interface DispatcherEvents {
  changed(task: FileTask): void
  sent(task: FileTask, bytes: number): void
  opened(task: FileTask): void
  done(task: FileTask): void
  failed(task: FileTask): void
  /** A step failed and will be repeated. */
  retrying(): void
  /** No file can continue, and nothing more is started. */
  stopped(problem: Problem): void
  /** Nothing is left to do. */
  idle(): void
  /** The requests in flight have ended after `drain`. */
  drained(): void
}

/**
 * Keeps as many requests in flight as the server can handle, and updates the files by their
 * outcomes.
 */
export class Dispatcher {
  readonly #shareId: string
  readonly #queue: Queue
  readonly #exchange: Exchange
  readonly #connection: Connection
  readonly #tuning: Tuning
  readonly #events: DispatcherEvents
  readonly #flow: ConcurrencyControl
  readonly #window: SendWindow
  #mode: 'running' | 'draining' | 'halted' = 'halted'
  #inFlight = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(shareId: string, queue: Queue, exchange: Exchange, connection: Connection, tuning: Tuning, events: DispatcherEvents) {
    this.#shareId = shareId
    this.#queue = queue
    this.#exchange = exchange
    this.#connection = connection
    this.#tuning = tuning
    this.#events = events
    this.#flow = new ConcurrencyControl(tuning.concurrency, tuning.retryDelay, tuning.retryDelayMax)
    this.#window = new SendWindow(tuning.bytesInFlight, tuning.sendAhead)
  }

  /** Whether the server asked to wait. */
  get held(): boolean {
    return this.#flow.wait() > 0
  }

  run(): void {
    this.#mode = 'running'
    this.pump()
  }

  /** Lets the requests in flight end and starts no more. */
  drain(): void {
    this.#mode = 'draining'
    clearTimeout(this.#timer)
    this.#endDraining()
  }

  /** Aborts the requests in flight and starts no more. */
  halt(): void {
    this.#mode = 'halted'
    clearTimeout(this.#timer)
    this.#queue.abort()
  }

  /** Starts the requests that can start now; none while draining or halted. */
  pump(): void {
    if (this.#mode !== 'running') return
    clearTimeout(this.#timer)
    const now = Date.now() // read once: a wait could end between two reads
    const held = this.#flow.wait(now)
    while (!this.#connection.lost && held === 0 && this.#inFlight < this.#flow.limit) {
      const next = this.#queue.next(now, (bytes) => this.#window.fits(bytes))
      if (!next) break
      void ('pack' in next ? this.#sendPack(next.pack) : this.#send(next.task, next.step))
    }
    const delay = held || this.#queue.wakeIn(now)
    if (delay !== null) this.#timer = setTimeout(() => this.pump(), delay)
    if (this.#inFlight > 0 || !this.#queue.idle) return
    this.#mode = 'halted'
    this.#events.idle()
  }

  async #send(task: FileTask, step: Step): Promise<void> {
    const flight = task.begin(step)
    const bytes = task.bytesOf(step)
    this.#window.begin(bytes)
    this.#inFlight++
    this.#events.changed(task)
    const onProgress = typeof step === 'number' ? (sent: number) => this.#progress(task, flight, sent) : undefined
    const outcome = await this.#exchange.send(task.request(step, this.#shareId), flight.controller.signal, onProgress)
    this.#inFlight--
    this.#window.end(bytes, outcome.kind === 'done')
    this.#conclude(task, step, flight, outcome)
    task.end(step)
    this.#queue.settle(task)
    this.#events.changed(task)
    this.#endDraining()
    this.pump()
  }

  async #sendPack(pack: Pack): Promise<void> {
    if (pack.isNew) for (const task of pack.tasks) this.#events.opened(task)
    const { started, controller } = pack.begin()
    this.#window.begin(pack.size)
    this.#inFlight++
    for (const task of pack.tasks) this.#events.changed(task)
    const onProgress = (sent: number) =>
      pack.progress(sent, (task, more) => {
        this.#window.sent(more)
        this.#events.sent(task, more)
      })
    const outcome = await this.#exchange.send(pack.request(this.#shareId), controller.signal, onProgress)
    this.#inFlight--
    this.#window.end(pack.size, outcome.kind === 'done')
    if (outcome.kind === 'done') this.#flow.succeeded()
    if (outcome.kind === 'busy') this.#flow.busy(started, outcome.retryAfter)
    if (outcome.kind === 'again') this.#events.retrying()
    if (pack.conclude(outcome, this.#tuning)) this.#queue.settlePack(pack)
    for (const task of pack.tasks) {
      this.#events.changed(task)
      if (task.phase === 'done') this.#events.done(task)
    }
    if (outcome.kind === 'stop') this.#stop(outcome.problem)
    this.#endDraining()
    this.pump()
  }

  #endDraining(): void {
    if (this.#mode !== 'draining' || this.#inFlight > 0) return
    this.#mode = 'halted'
    this.#events.drained()
  }

  #progress(task: FileTask, flight: PendingStep, sent: number): void {
    const more = Math.max(0, sent - flight.sent)
    flight.sent = sent
    this.#window.sent(more)
    this.#events.sent(task, more)
  }

  #conclude(task: FileTask, step: Step, { started }: PendingStep, outcome: Outcome): void {
    if (outcome.kind === 'done') this.#succeeded(task, step, outcome.body)
    else task.putBack(step)
    if (outcome.kind === 'busy') this.#flow.busy(started, outcome.retryAfter)
    if (outcome.kind === 'again') this.#again(task, step, outcome.problem)
    if (outcome.kind === 'refused') this.#refused(task, step, outcome.problem)
    if (outcome.kind === 'stop') this.#stop(outcome.problem)
  }

  #stop(problem: Problem): void {
    if (this.#mode === 'halted') return
    this.halt()
    this.#events.stopped(problem)
  }

  #succeeded(task: FileTask, step: Step, body: unknown): void {
    task.succeeded(step, body)
    this.#flow.succeeded()
    if (step === 'open') this.#events.opened(task)
    if (task.phase === 'done') this.#events.done(task)
  }

  #refused(task: FileTask, step: Step, problem: Problem): void {
    const recovery = recover(task, step, problem)
    if (recovery === 'hopeless') this.#fail(task, problem)
    if (recovery === 'again') this.#again(task, step, problem)
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
    this.#events.retrying()
  }

  #fail(task: FileTask, problem: Problem): void {
    task.giveUp(problem)
    this.#events.failed(task)
  }
}

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { StoreUnavailable, WrongLength } from '../object-store.ts'

/**
 * One or two, so that a core is left for sending. The second starts only when the first is busy.
 * Each takes 10 MiB.
 */
const THREADS = Math.max(1, Math.min(2, availableParallelism() - 1))
const BATCH = 16
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 }

/** A read that a thread is asked for. */
interface ReadRequest {
  path: string
  start: number
  length: number
}

/** The bytes of a batch, one file after the other, and the errors of its failed reads. */
interface BatchResult {
  bytes: ArrayBuffer
  failures: { index: number; message: string; code?: string; syscall?: string }[]
}

interface Read {
  path: string
  start: number
  target: Uint8Array
  resolve: () => void
  reject: (error: Error) => void
}

interface Thread {
  worker: Worker
  batches: Read[][]
}

/**
 * Reads small files on its own threads, many per message. For a file of 4 KiB this costs a tenth of
 * passing open, read and close to the thread pool one by one. Idle threads don't keep the process
 * alive.
 */
export class SmallReads {
  #waiting: Read[] = []
  readonly #threads: Thread[] = []

  /**
   * Fills `target` from byte `start` of the file. Rejects with the file system's own error.
   *
   * @throws {WrongLength} the file ends early
   */
  read(path: string, start: number, target: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ path, start, target, resolve, reject })
      if (this.#waiting.length === BATCH) this.#post()
      else if (this.#waiting.length === 1) setImmediate(() => this.#post())
    })
  }

  /** Ends the threads; unfinished reads are rejected. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }

  #post(): void {
    if (this.#waiting.length === 0) return
    const batch = this.#waiting
    this.#waiting = []
    const thread = this.#leastBusy()
    thread.batches.push(batch)
    thread.worker.ref()
    thread.worker.postMessage(batch.map(({ path, start, target }): ReadRequest => ({ path, start, length: target.length })))
  }

  #leastBusy(): Thread {
    const [first] = this.#threads.sort((a, b) => a.batches.length - b.batches.length)
    if (first && (first.batches.length === 0 || this.#threads.length === THREADS)) return first
    return this.#start()
  }

  #start(): Thread {
    const worker = new Worker(new URL('./small-reads-thread.js', import.meta.url), { execArgv: [], resourceLimits: LIMITS })
    const thread: Thread = { worker, batches: [] }
    this.#threads.push(thread)
    let cause: unknown
    worker.on('message', (result: BatchResult) => {
      settle(thread.batches.shift() ?? [], result)
      if (thread.batches.length === 0) worker.unref()
    })
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      this.#threads.splice(this.#threads.indexOf(thread), 1)
      for (const { reject } of thread.batches.flat()) reject(new StoreUnavailable('The thread that reads small files ended', { cause }))
    })
    return thread
  }
}

function settle(batch: Read[], { bytes, failures }: BatchResult): void {
  for (const { index, message, ...details } of failures) {
    batch[index]?.reject(details.syscall ? Object.assign(new Error(message), details) : new WrongLength(message))
  }
  let at = 0
  for (const { target, resolve } of batch) {
    target.set(new Uint8Array(bytes, at, target.length))
    at += target.length
    resolve()
  }
  bytes.transfer(0)
}

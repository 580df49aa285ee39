import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { StoreUnavailable, WrongLength } from '../object-store.ts'

/** One or two, so that a core is left for who sends the bytes. The second is started only when the first is busy. 10 MiB each. */
const THREADS = Math.max(1, Math.min(2, availableParallelism() - 1))
const BATCH = 16
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 }

export interface Wanted {
  path: string
  start: number
  length: number
}

/** The bytes of a batch, one file's after the other, and what went wrong with which of them. */
export interface Answer {
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
 * Reads small files on threads of its own, many in one message: opening, reading and closing a file of 4 KiB takes a tenth of what it costs to hand those
 * three steps one by one to the thread pool. The threads keep no process alive that has nothing to read.
 */
export class SmallReads {
  #waiting: Read[] = []
  readonly #threads: Thread[] = []

  /** Fills `target` from byte `start` of the file. Rejects with WrongLength when the file ends before, and with the file system's own error. */
  read(path: string, start: number, target: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ path, start, target, resolve, reject })
      if (this.#waiting.length === BATCH) this.#post()
      else if (this.#waiting.length === 1) setImmediate(() => this.#post())
    })
  }

  /** Ends the threads; what they had not read yet is rejected. */
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
    thread.worker.postMessage(batch.map(({ path, start, target }): Wanted => ({ path, start, length: target.length })))
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
    worker.on('message', (answer: Answer) => {
      settle(thread.batches.shift()!, answer)
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

function settle(batch: Read[], { bytes, failures }: Answer): void {
  for (const { index, message, ...known } of failures) {
    batch[index]!.reject(known.syscall ? Object.assign(new Error(message), known) : new WrongLength(message))
  }
  let at = 0
  for (const { target, resolve } of batch) {
    target.set(new Uint8Array(bytes, at, target.length))
    at += target.length
    resolve()
  }
  bytes.transfer(0)
}

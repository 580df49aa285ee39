import type { Connection } from './connection.ts'
import { classifyResponse, type ResponseClass } from './responses.ts'
import { Session } from './session.ts'
import { watchStall } from './stall-watch.ts'
import type { Call, Transport } from './transport.ts'
import type { Problem, Tuning } from './types.ts'

/** One request of an upload: a call, or the bytes of a part or a pack. */
export type Request = Call | { method: 'PUT' | 'POST'; path: string; bytes: Blob }

/** `uncounted`: the failure was not the request's own, such as an outage. */
export type Outcome = Exclude<ResponseClass, { kind: 'unauthorized' }> | { kind: 'uncounted' } | { kind: 'aborted' }

/** Sends requests and reports their outcome. It renews the session and waits for outages to end. */
export class Exchange {
  readonly #transport: Transport
  readonly #connection: Connection
  readonly #session: Session
  readonly #tuning: Tuning

  constructor(transport: Transport, connection: Connection, renew: () => Promise<boolean>, tuning: Tuning) {
    this.#transport = transport
    this.#connection = connection
    this.#session = new Session(renew)
    this.#tuning = tuning
  }

  /** Sends a request. Never rejects. */
  async send(request: Request, signal: AbortSignal, onProgress: (sent: number) => void = () => {}): Promise<Outcome> {
    const seen = this.#session.generation
    try {
      const result = classifyResponse(await this.#respond(request, signal, onProgress))
      if (result.kind === 'unauthorized') return await this.#renew(seen)
      if (result.kind === 'done') this.#session.accepted()
      return result.kind === 'again' ? await this.#afterFailure(result.problem, signal) : result
    } catch {
      if (signal.aborted) return { kind: 'aborted' }
      if ('bytes' in request && !(await isReadable(request.bytes))) return { kind: 'refused', problem: problemOf('file_unreadable') }
      return this.#afterFailure(problemOf('network'), signal)
    }
  }

  #respond(request: Request, signal: AbortSignal, onProgress: (sent: number) => void) {
    const timeout = 'bytes' in request ? this.#tuning.stallTimeout : this.#tuning.callTimeout
    return watchStall(signal, timeout, ({ signal, alive }) => {
      if (!('bytes' in request)) return this.#transport.call(request, signal)
      return this.#transport.put(request.path, request.bytes, {
        signal,
        method: request.method,
        onProgress: (sent) => {
          alive()
          onProgress(sent)
        },
      })
    })
  }

  async #renew(seen: number): Promise<Outcome> {
    const renewed = await this.#session.renewAfter(seen)
    return renewed ? { kind: 'uncounted' } : { kind: 'stop', problem: problemOf('session_ended') }
  }

  async #afterFailure(problem: Problem, signal: AbortSignal): Promise<Outcome> {
    const healthy = await untilAborted(this.#connection.check(), signal)
    if (signal.aborted) return { kind: 'aborted' }
    return healthy ? { kind: 'again', problem } : { kind: 'uncounted' }
  }
}

const problemOf = (code: string): Problem => ({ code, details: {} })

/**
 * Returns false when the file was changed or removed since it was picked: a browser then reports a
 * network error.
 */
async function isReadable(bytes: Blob): Promise<boolean> {
  try {
    await bytes.slice(0, 1).arrayBuffer()
    return true
  } catch {
    return false
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const abort = () => resolve(undefined)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

import type { Api } from '../src/contract.ts'
import type { Input, Output } from '../src/http/contract.ts'
import { boundedText, TooLong } from '../uploader/bounded-text.ts'
import { parseJson } from '../uploader/transport.ts'
import type { Account } from './account.ts'
import { Failure, failureOf } from './failure.ts'

interface Sent {
  params?: Record<string, string>
  body?: unknown
}
type Arguments<E> = unknown extends Input<E> ? [] : [Input<E>]

const patience = 60_000 // ms for an answer without bytes
const responseMaxBytes = 33_554_432 // of JSON: a share of 100,000 files has 20 MB

/** One server, and what is sent along with every call to it. */
export class Server {
  readonly url: string
  /** By name; sent with every request. */
  readonly cookies = new Map<string, string>()
  readonly #token: string | undefined

  constructor({ url, token }: Account) {
    this.url = url
    this.#token = token
  }

  headers(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return { ...(this.#token && { authorization: `Bearer ${this.#token}` }), ...(cookie && { cookie }) }
  }

  /** Calls one endpoint. Throws a Failure for every refusal, and when no answer comes. */
  async call<K extends keyof Api>(key: K, ...[input]: Arguments<Api[K]>): Promise<Output<Api[K]>> {
    const { params = {}, body } = (input ?? {}) as Sent
    const [method, path] = key.split(' ') as [string, string]
    const url = this.url + path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!))
    const json = body === undefined ? {} : { body: JSON.stringify(body) }
    const headers = { ...this.headers(), ...(body !== undefined && { 'content-type': 'application/json' }) }
    const response = await this.fetch(url, { method, headers, redirect: 'manual', signal: AbortSignal.timeout(patience), ...json })
    const answer = parseJson(await textOf(response))
    if (!response.ok) throw failureOf(response.status, answer)
    return answer as Output<Api[K]>
  }

  /** As `fetch`, with a Failure in people's words when no answer comes. */
  async fetch(url: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init)
    } catch (error) {
      throw unreachable(this.url, error)
    }
  }
}

/** Returns the body of an answer without files. @throws Failure when it is too long or breaks off. */
export async function textOf(response: Response): Promise<string> {
  try {
    return await boundedText(response, responseMaxBytes)
  } catch (error) {
    if (!(error instanceof TooLong)) throw unreachable(response.url, error)
    throw new Failure('failure', 'unexpected_answer', `The server sent an answer that is too long (${error.message}).`)
  }
}

/** No answer came from `url`. */
export function unreachable(url: string, error: unknown): Failure {
  const { message, cause } = error as Error & { cause?: Error & { code?: string } }
  const why = cause?.code ?? (cause?.message || message)
  return new Failure('unreachable', 'unreachable', `${url} cannot be reached (${why}).`)
}

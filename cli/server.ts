import type { Api } from '../src/contract.ts'
import type { Output } from '../src/http/contract.ts'
import { boundedText, TooLong } from '../uploader/bounded-text.ts'
import { type ApiClient, createClient, type InputArguments } from '../uploader/client.ts'
import { parseJson } from '../uploader/transport.ts'
import type { Account } from './account.ts'
import { Failure, failureOf } from './failure.ts'

const timeout = 60_000 // ms for a response without files
const responseMaxBytes = 33_554_432 // of JSON: a share of 100,000 files has 20 MB

/**
 * One server, with the token and cookies that every call to it sends. The server may be hostile:
 * redirects and long responses are refused.
 */
export class Server {
  readonly url: string
  /** By name; sent with every request. */
  readonly cookies = new Map<string, string>()
  readonly #token: string | undefined
  readonly #client: ApiClient

  constructor({ url, token }: Account) {
    this.url = url
    this.#token = token
    this.#client = createClient({
      baseUrl: url,
      fetch: (url, { headers, ...init }) =>
        this.fetch(url, { ...init, headers: { ...this.headers(), ...headers }, redirect: 'manual', signal: AbortSignal.timeout(timeout) }),
      read,
    })
  }

  /** Returns the headers that identify the user. */
  headers(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return { ...(this.#token && { authorization: `Bearer ${this.#token}` }), ...(cookie && { cookie }) }
  }

  /** Calls one endpoint. @throws Failure for an error response, and when no response comes. */
  async call<K extends keyof Api>(key: K, ...input: InputArguments<K>): Promise<Output<Api[K]>> {
    return (await this.#client.call(key, ...input)).data
  }

  /** Sends a request as `fetch` does. @throws Failure when no response comes. */
  async fetch(url: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init)
    } catch (error) {
      throw unreachable(this.url, error)
    }
  }
}

async function read(response: Response): Promise<unknown> {
  const body = parseJson(await textOf(response))
  if (!response.ok) throw failureOf(response.status, body)
  return body
}

/**
 * Returns the body of a response without files. @throws Failure when it is too long or breaks off.
 */
export async function textOf(response: Response): Promise<string> {
  try {
    return await boundedText(response, responseMaxBytes)
  } catch (error) {
    if (!(error instanceof TooLong)) throw unreachable(response.url, error)
    throw new Failure('failure', 'unexpected_answer', `The server sent a response that is too long (${error.message}).`)
  }
}

/** Returns the failure for a server that does not respond. */
export function unreachable(url: string, error: unknown): Failure {
  const { message, cause } = error as Error & { cause?: Error & { code?: string } }
  const reason = cause?.code ?? (cause?.message || message)
  return new Failure('unreachable', 'unreachable', `${url} cannot be reached (${reason}).`)
}

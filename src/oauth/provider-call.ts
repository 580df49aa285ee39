import { ProviderError } from './errors.ts'

/** Milliseconds after which a call to a provider times out. */
export const providerTimeout = 10_000
/** Maximum bytes of a response. */
export const responseMaxBytes = 1_048_576
/** GitHub refuses calls without one. */
export const userAgent = 'Razorbill'

/**
 * Fetches JSON from a provider. Redirects are not followed, so that no other host receives the
 * request.
 * @throws {ProviderError} when the provider is unreachable, or the response is an error, too large
 *   or not JSON
 */
export async function getJson(address: string): Promise<unknown> {
  return parseJson(await getText(address, {}), address)
}

/**
 * Fetches JSON with an access token (RFC 6750), or the text of a signed response
 * (`application/jwt`). Throws as `getJson`.
 */
export async function getWithToken(address: string, accessToken: string): Promise<unknown> {
  const response = await getText(address, { accept: 'application/json, application/jwt', authorization: `Bearer ${accessToken}` })
  return /^application\/jwt\b/i.test(response.type) ? response.text.trim() : parseJson(response, address)
}

async function getText(address: string, headers: Record<string, string>): Promise<{ text: string; type: string }> {
  const response = await send(address, headers)
  const text = await readCapped(response, address)
  if (!response.ok) throw new ProviderError(`${withoutQuery(address)} responded with status ${response.status}`, String(response.status))
  return { text, type: response.headers.get('content-type') ?? '' }
}

function parseJson({ text }: { text: string }, address: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ProviderError(`${withoutQuery(address)} did not respond with JSON`, null, { cause })
  }
}

async function send(address: string, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetch(address, {
      redirect: 'manual',
      signal: AbortSignal.timeout(providerTimeout),
      headers: { accept: 'application/json', 'user-agent': userAgent, ...headers },
    })
  } catch (cause) {
    throw unreachable(address, cause)
  }
}

async function readCapped({ body }: Response, address: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body ?? []) {
      size += chunk.length
      if (size > responseMaxBytes) throw new ProviderError(`${withoutQuery(address)} responded with more than ${responseMaxBytes} bytes`)
      chunks.push(chunk)
    }
  } catch (cause) {
    throw cause instanceof ProviderError ? cause : unreachable(address, cause)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function unreachable(address: string, cause: unknown): ProviderError {
  const { cause: rootCause, message } = cause as Error & { cause?: { code?: string; message?: string } }
  return new ProviderError(`${withoutQuery(address)} cannot be reached: ${rootCause?.code ?? rootCause?.message ?? message}`, null, {
    cause,
  })
}

/** Returns an address without its query, which may contain secrets. */
function withoutQuery(address: string): string {
  return address.replace(/\?.*/s, '')
}

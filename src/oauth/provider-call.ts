import { ProviderError } from './errors.ts'

/** Milliseconds that a provider may take to answer one call. */
export const providerTimeout = 10_000
/** Bytes of an answer that are read. */
export const responseMaxBytes = 1_048_576
/** GitHub refuses calls without one. */
export const userAgent = 'Razorbill'

/** Gets an object from a provider. No redirect is followed, so that nobody is asked but who the address names. Throws ProviderError. */
export async function getJson(address: string, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await send(address, headers)
  const text = await readCapped(response, address)
  if (!response.ok) throw new ProviderError(`${placeOf(address)} answered ${response.status}`, String(response.status))
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ProviderError(`${placeOf(address)} did not answer in JSON`, null, { cause })
  }
}

/** The same for an API that wants an access token (RFC 6750). */
export function getWithToken(address: string, accessToken: string): Promise<unknown> {
  return getJson(address, { authorization: `Bearer ${accessToken}` })
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
      if (size > responseMaxBytes) throw new ProviderError(`${placeOf(address)} answered with more than ${responseMaxBytes} bytes`)
      chunks.push(chunk)
    }
  } catch (cause) {
    throw cause instanceof ProviderError ? cause : unreachable(address, cause)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function unreachable(address: string, cause: unknown): ProviderError {
  const { cause: deeper, message } = cause as Error & { cause?: { code?: string; message?: string } }
  return new ProviderError(`${placeOf(address)} cannot be reached: ${deeper?.code ?? deeper?.message ?? message}`, null, { cause })
}

/** An address for a message: without its query. */
function placeOf(address: string): string {
  return address.split('?')[0]!
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashToken } from '../crypto/tokens.ts'
import { cookiePath, cookiePrefix } from '../http/base-path.ts'
import { isSecure } from '../http/https-site.ts'
import type { Client } from './client.ts'
import { type ClientAuth, rememberAuth, withRememberedFirst } from './client-auth.ts'
import { ProviderError } from './errors.ts'
import { attemptLifetime, attemptsPerBrowser, type Provider } from './limits.ts'
import { openPlugin } from './plugin.ts'

/** The response of a token endpoint (RFC 6749, 5.1). */
export interface Tokens {
  accessToken: string
  idToken: string | null
}

/**
 * Returns the URL of a provider's consent page, with state, nonce and PKCE (S256). The browser
 * stores the verifier in a cookie of this attempt, so that attempts in several tabs don't meet.
 */
export async function authorizationUrl(
  client: Client,
  { state, nonce }: { state: string; nonce: string },
  reply: FastifyReply,
): Promise<string> {
  const { request } = reply
  const cookieName = attemptCookie(client.provider, state, request)
  const [auth = 'none'] = client.auth
  const flow = await openPlugin(client, auth, {
    generateStateFunction: () => state,
    redirectStateCookieName: cookieName, // the verifier replaces it, because the cookie's name holds the state's hash
    verifierCookieName: cookieName,
    cookie: { ...cookieOptions(request), maxAge: attemptLifetime },
  })
  dropOldAttempts(client.provider, reply)
  const url = new URL(await flow.generateAuthorizationUri(request, reply))
  if (client.openId) url.searchParams.set('nonce', nonce)
  return url.href
}

/**
 * Returns the verifier of the attempt with this `state`, or undefined if the browser has no such
 * attempt.
 */
export function verifierOf(provider: Provider, state: string, request: FastifyRequest): string | undefined {
  return request.cookies[attemptCookie(provider, state, request)]
}

/** Ends the attempt with this `state`. Other attempts of the browser stay. */
export function endAttempt(provider: Provider, state: string, reply: FastifyReply): void {
  reply.clearCookie(attemptCookie(provider, state, reply.request), cookieOptions(reply.request))
}

/**
 * Returns the name of an attempt's cookie, which binds `state` to the browser by its hash.
 * `__Host-` prevents neighboring hosts from planting their own attempt.
 */
function attemptCookie(provider: Provider, state: string, request: FastifyRequest): string {
  return `${attemptPrefix(provider, request)}${hashToken(state).slice(0, 22)}`
}

function attemptPrefix(provider: Provider, request: FastifyRequest): string {
  return `${isSecure(request) ? cookiePrefix(request) : ''}oauth_${provider}_`
}

/**
 * Browsers send their oldest cookies first (RFC 6265, 5.4), and proxies limit the length of all.
 */
function dropOldAttempts(provider: Provider, reply: FastifyReply): void {
  const prefix = attemptPrefix(provider, reply.request)
  const names = Object.keys(reply.request.cookies).filter((name) => name.startsWith(prefix))
  for (const name of names.slice(0, Math.max(0, names.length - attemptsPerBrowser + 1))) {
    reply.clearCookie(name, cookieOptions(reply.request))
  }
}

function cookieOptions(request: FastifyRequest) {
  return { path: cookiePath(request, '/'), httpOnly: true, sameSite: 'lax' as const, secure: isSecure(request) }
}

/**
 * Exchanges a code for tokens. The caller has checked its state. If the provider rejects one way to
 * authenticate, the others that it supports are tried.
 * @throws {ProviderError} when the provider refuses or fails
 */
export async function exchangeCode(client: Client, { code, verifier }: { code: string; verifier: string }): Promise<Tokens> {
  let failure: unknown
  for (const auth of withRememberedFirst(client)) {
    try {
      const tokens = await requestTokens(client, auth, { code, verifier })
      rememberAuth(client, auth)
      return tokens
    } catch (error) {
      failure ??= error
      if (!isAuthRefused(error)) {
        rememberAuth(client, auth)
        throw error
      }
    }
  }
  throw failure
}

async function requestTokens(client: Client, auth: ClientAuth, { code, verifier }: { code: string; verifier: string }): Promise<Tokens> {
  const flow = await openPlugin(client, auth, { verifierCookieName: 'verifier' })
  const callback = { query: { code }, cookies: { verifier } } as unknown as FastifyRequest // the plugin reads only these fields
  try {
    const { token } = await flow.getAccessTokenFromAuthorizationCodeFlow(callback)
    return tokensOf(token)
  } catch (error) {
    throw error instanceof ProviderError ? error : refusalOf(error)
  }
}

function isAuthRefused(error: unknown): boolean {
  return error instanceof ProviderError && (error.code === 'invalid_client' || error.code === 'unauthorized_client')
}

/** GitHub responds to a wrong code with status 200 and an error. */
function tokensOf(response: { access_token?: unknown; id_token?: unknown }): Tokens {
  const { access_token: accessToken, id_token: idToken } = response
  if (typeof accessToken !== 'string') throw refusal(response) ?? new ProviderError('The token endpoint responded without a token')
  return { accessToken, idToken: typeof idToken === 'string' ? idToken : null }
}

/**
 * Keeps only status and message of the plugin's error, because its other fields contain the secret.
 */
function refusalOf(error: unknown): ProviderError {
  const { data, message } = error as Error & { data?: { payload?: unknown; res?: { statusCode?: number } } | null }
  const status = data?.res?.statusCode
  return refusal(data?.payload) ?? new ProviderError(`The token endpoint: ${message}`, status === 401 ? 'invalid_client' : null)
}

function refusal(response: unknown): ProviderError | null {
  if (typeof response !== 'object' || response === null) return null
  const { error, error_description: description }: { error?: unknown; error_description?: unknown } = response
  if (typeof error !== 'string') return null
  const code = error === 'bad_verification_code' ? 'invalid_grant' : error // GitHub's own code
  return new ProviderError(`The token endpoint: ${typeof description === 'string' ? description : error}`.slice(0, 500), code)
}

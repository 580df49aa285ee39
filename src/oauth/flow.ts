import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashToken, newToken } from '../crypto/tokens.ts'
import { isSecure } from '../http/https-site.ts'
import type { Client } from './client.ts'
import { type ClientAuth, rememberAuth, withRememberedFirst } from './client-auth.ts'
import { ProviderError } from './errors.ts'
import { attemptLifetime, attemptsPerBrowser, type Provider } from './limits.ts'
import { postForm } from './provider-call.ts'

/** The response of a token endpoint (RFC 6749, 5.1). */
export interface Tokens {
  accessToken: string
  idToken: string | null
}

/**
 * Returns the URL of a provider's consent page, with state, nonce and PKCE (S256). The browser
 * stores the verifier in a cookie of this attempt, so that attempts in several tabs don't meet.
 */
export function authorizationUrl(client: Client, { state, nonce }: { state: string; nonce: string }, reply: FastifyReply): string {
  const verifier = newToken()
  dropOldAttempts(client.provider, reply)
  reply.setCookie(attemptCookie(client.provider, state, reply.request), verifier, {
    ...cookieOptions(reply.request),
    maxAge: attemptLifetime,
  })
  const url = new URL(client.authorize)
  const query = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: client.redirectUri,
    scope: client.scope.join(' '),
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(client.openId && { nonce }),
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}

/** Returns the verifier of the attempt with this `state`, or undefined if the browser has no such attempt. */
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
  return `${isSecure(request) ? '__Host-' : ''}oauth_${provider}_`
}

/** Browsers send their oldest cookies first (RFC 6265, 5.4), and proxies limit the length of all. */
function dropOldAttempts(provider: Provider, reply: FastifyReply): void {
  const prefix = attemptPrefix(provider, reply.request)
  const names = Object.keys(reply.request.cookies).filter((name) => name.startsWith(prefix))
  for (const name of names.slice(0, Math.max(0, names.length - attemptsPerBrowser + 1))) {
    reply.clearCookie(name, cookieOptions(reply.request))
  }
}

function cookieOptions(request: FastifyRequest) {
  return { path: '/', httpOnly: true, sameSite: 'lax' as const, secure: isSecure(request) }
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
  const form = { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri, code_verifier: verifier }
  const { fields, headers } = credentialsOf(client, auth)
  const { status, body } = await postForm(client.token, { ...form, ...fields }, headers)
  return tokensOf(status, body)
}

function credentialsOf(client: Client, auth: ClientAuth): { fields?: Record<string, string>; headers: Record<string, string> } {
  if (auth === 'client_secret_basic') return { headers: { authorization: basic(client) } }
  const { id, secret } = client
  return { fields: { client_id: id, ...(auth === 'client_secret_post' && { client_secret: secret }) }, headers: {} }
}

/** Basic credentials, each form-encoded first (RFC 6749, 2.3.1). */
function basic({ id, secret }: Client): string {
  const [encodedId, encodedSecret] = [id, secret].map((text) => new URLSearchParams({ '': text }).toString().slice(1))
  return `Basic ${Buffer.from(`${encodedId}:${encodedSecret}`).toString('base64')}`
}

function isAuthRefused(error: unknown): boolean {
  return error instanceof ProviderError && (error.code === 'invalid_client' || error.code === 'unauthorized_client')
}

/** GitHub responds to a wrong code with status 200 and an error. */
function tokensOf(status: number, body: unknown): Tokens {
  const response: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {}
  const { access_token: accessToken, id_token: idToken } = response
  if (status >= 200 && status < 300 && typeof accessToken === 'string') {
    return { accessToken, idToken: typeof idToken === 'string' ? idToken : null }
  }
  throw refusal(status, response)
}

function refusal(status: number, { error, error_description: description }: Record<string, unknown>): ProviderError {
  if (typeof error !== 'string') {
    return new ProviderError(`The token endpoint responded with status ${status} without a token`, status === 401 ? 'invalid_client' : null)
  }
  const code = error === 'bad_verification_code' ? 'invalid_grant' : error // GitHub's own code
  return new ProviderError(`The token endpoint: ${typeof description === 'string' ? description : error}`.slice(0, 500), code)
}

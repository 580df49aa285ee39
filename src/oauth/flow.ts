import cookie from '@fastify/cookie'
import oauth2, { type FastifyOAuth2Options, type OAuth2Namespace } from '@fastify/oauth2'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { isSecure } from '../http/https-site.ts'
import type { Client } from './client.ts'
import { ProviderError } from './errors.ts'
import { attemptLifetime, type Provider } from './limits.ts'
import { providerTimeout, responseMaxBytes, userAgent } from './provider-call.ts'

/** The response of a token endpoint (RFC 6749, 5.1). */
export interface Tokens {
  accessToken: string
  idToken: string | null
}

/**
 * Returns the URL of a provider's consent page, with state, nonce and PKCE (S256).
 * State and verifier are stored in cookies of the browser.
 */
export async function authorizationUrl(
  client: Client,
  { state, nonce }: { state: string; nonce: string },
  reply: FastifyReply,
): Promise<string> {
  const { request } = reply
  const flow = await openFlow(client, {
    generateStateFunction: () => state,
    redirectStateCookieName: cookieNames(client.provider, request).state,
    verifierCookieName: cookieNames(client.provider, request).verifier,
    cookie: { ...cookieOptions(request), maxAge: attemptLifetime },
  })
  const url = new URL(await flow.generateAuthorizationUri(request, reply))
  if (client.openId) url.searchParams.set('nonce', nonce)
  return url.href
}

/**
 * Exchanges a code for tokens. The caller has checked its state.
 * @throws {ProviderError} when the provider refuses or fails
 */
export async function exchangeCode(client: Client, { code, verifier }: { code: string; verifier: string }): Promise<Tokens> {
  const flow = await openFlow(client, { generateStateFunction: () => '', verifierCookieName: 'verifier' })
  const callback = { query: { code }, cookies: { verifier } } as unknown as FastifyRequest // the plugin reads only these fields
  try {
    const { token } = await flow.getAccessTokenFromAuthorizationCodeFlow(callback)
    return tokensOf(token as object)
  } catch (error) {
    throw error instanceof ProviderError ? error : refusalOf(error)
  }
}

/**
 * Returns the names of an attempt's cookies. `__Host-` prevents neighboring hosts from planting
 * their own attempt.
 */
export function cookieNames(provider: Provider, request: FastifyRequest) {
  const prefix = isSecure(request) ? '__Host-' : ''
  return { state: `${prefix}oauth_${provider}_state`, verifier: `${prefix}oauth_${provider}_verifier` }
}

/** Clears the cookies of an attempt. */
export function clearAttempt(provider: Provider, reply: FastifyReply): void {
  for (const name of Object.values(cookieNames(provider, reply.request))) reply.clearCookie(name, cookieOptions(reply.request))
}

function cookieOptions(request: FastifyRequest) {
  return { path: '/', httpOnly: true, sameSite: 'lax' as const, secure: isSecure(request) }
}

/**
 * Registers the plugin on a new instance that never listens, which takes 3 ms. The plugin reads
 * credentials only at registration, but settings may change between two requests.
 * @throws {ProviderError} incomplete: when the plugin rejects the credentials; its own error
 *   contains the secret
 */
async function openFlow(client: Client, options: Partial<FastifyOAuth2Options>): Promise<OAuth2Namespace> {
  const app = Fastify()
  await app.register(cookie)
  try {
    await registerPlugin(app, {
      name: 'flow',
      credentials: credentialsOf(client),
      scope: client.scope,
      callbackUri: client.redirectUri,
      pkce: 'S256',
      checkStateFunction: () => true, // openAttempt checks it
      ...options,
    })
  } catch {
    throw new ProviderError(
      'The client ID, the client secret or an address of the provider has characters that are not allowed.',
      'incomplete',
    )
  }
  await app.ready()
  return app.getDecorator<OAuth2Namespace>('flow')
}

/**
 * Calls the plugin directly, because an error that it throws inside `app.register` would end the
 * process.
 */
function registerPlugin(app: FastifyInstance, options: FastifyOAuth2Options): Promise<void> {
  return new Promise((resolve, reject) => oauth2(app, options, (error) => (error ? reject(error) : resolve())))
}

function credentialsOf({ id, secret, authorize, token, secretIn }: Client) {
  const [authorizeUrl, tokenUrl] = [new URL(authorize), new URL(token)]
  return {
    client: { id, secret },
    auth: {
      authorizeHost: authorizeUrl.origin,
      authorizePath: authorizeUrl.pathname + authorizeUrl.search,
      tokenHost: tokenUrl.origin,
      tokenPath: tokenUrl.pathname + tokenUrl.search,
    },
    http: { timeout: providerTimeout, maxBytes: responseMaxBytes, headers: { 'User-Agent': userAgent } },
    options: { authorizationMethod: secretIn },
  }
}

/** GitHub responds to a wrong code with status 200 and an error. */
function tokensOf(response: { access_token?: unknown; id_token?: unknown; error?: unknown; error_description?: unknown }): Tokens {
  if (typeof response.access_token !== 'string') throw refusal(response)
  return { accessToken: response.access_token, idToken: typeof response.id_token === 'string' ? response.id_token : null }
}

/** Keeps only the message of Wreck's error, because its other fields contain the secret. */
function refusalOf(error: unknown): ProviderError {
  const { data, message } = error as Error & { data?: { payload?: unknown } | null }
  const payload = data?.payload
  if (typeof payload === 'object' && payload !== null && 'error' in payload) return refusal(payload)
  return new ProviderError(`The token endpoint: ${message}`)
}

function refusal({ error, error_description: description }: { error?: unknown; error_description?: unknown }): ProviderError {
  if (typeof error !== 'string') return new ProviderError('The token endpoint responded without a token')
  const code = error === 'bad_verification_code' ? 'invalid_grant' : error // GitHub's own code
  return new ProviderError(`The token endpoint: ${typeof description === 'string' ? description : error}`.slice(0, 500), code)
}

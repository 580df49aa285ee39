import cookie from '@fastify/cookie'
import oauth2, { type FastifyOAuth2Options, type OAuth2Namespace } from '@fastify/oauth2'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { isSecure } from '../http/https-site.ts'
import type { Client } from './client.ts'
import { ProviderError } from './errors.ts'
import { attemptLifetime, type Provider } from './limits.ts'
import { providerTimeout, responseMaxBytes, userAgent } from './provider-call.ts'

/** What a token endpoint has answered (RFC 6749, 5.1). */
export interface Tokens {
  accessToken: string
  idToken: string | null
}

/**
 * The address at which a provider asks whether it may tell us who somebody is, with state, nonce and PKCE (S256). State and verifier go into cookies of
 * the browser that is sent there.
 */
export async function authorizationAddress(
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
  const address = new URL(await flow.generateAuthorizationUri(request, reply))
  if (client.openId) address.searchParams.set('nonce', nonce)
  return address.href
}

/** Exchanges a code, whose state was found right, for tokens. Throws ProviderError. */
export async function exchangeCode(client: Client, { code, verifier }: { code: string; verifier: string }): Promise<Tokens> {
  const flow = await openFlow(client, { generateStateFunction: () => '', verifierCookieName: 'verifier' })
  const answered = { query: { code }, cookies: { verifier } } as unknown as FastifyRequest // what the plugin reads of it
  try {
    const { token } = await flow.getAccessTokenFromAuthorizationCodeFlow(answered)
    return tokensOf(token as object)
  } catch (error) {
    throw error instanceof ProviderError ? error : refusalOf(error)
  }
}

/** The cookies of an attempt. Browsers take `__Host-` ones only from this very host by https, so that no other site plants its own attempt. */
export function cookieNames(provider: Provider, request: FastifyRequest) {
  const prefix = isSecure(request) ? '__Host-' : ''
  return { state: `${prefix}oauth_${provider}_state`, verifier: `${prefix}oauth_${provider}_verifier` }
}

/** Takes the cookies of an attempt back: it was answered. */
export function clearAttempt(provider: Provider, reply: FastifyReply): void {
  for (const name of Object.values(cookieNames(provider, reply.request))) reply.clearCookie(name, cookieOptions(reply.request))
}

function cookieOptions(request: FastifyRequest) {
  return { path: '/', httpOnly: true, sameSite: 'lax' as const, secure: isSecure(request) }
}

/**
 * The plugin takes a client's credentials once, when it is registered, and ours may change between two requests. So it is registered for each use anew, on
 * an instance that never listens (3 ms); its two methods work with our request and reply.
 *
 * @throws ProviderError when the plugin does not accept the credentials. Its own error contains the secret.
 */
async function openFlow(client: Client, options: Partial<FastifyOAuth2Options>): Promise<OAuth2Namespace> {
  const app = Fastify()
  await app.register(cookie)
  try {
    await registered(app, {
      name: 'flow',
      credentials: credentialsOf(client),
      scope: client.scope,
      callbackUri: client.redirectUri,
      pkce: 'S256',
      checkStateFunction: () => true, // openAttempt has, and has read it
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

/** Registers the plugin by hand: what it throws inside `app.register` reaches no caller and would end the process. */
function registered(app: FastifyInstance, options: FastifyOAuth2Options): Promise<void> {
  return new Promise((resolve, reject) => oauth2(app, options, (error) => (error ? reject(error) : resolve())))
}

function credentialsOf({ id, secret, authorize, token, secretIn }: Client) {
  const [asked, told] = [new URL(authorize), new URL(token)]
  return {
    client: { id, secret },
    auth: {
      authorizeHost: asked.origin,
      authorizePath: asked.pathname + asked.search,
      tokenHost: told.origin,
      tokenPath: told.pathname + told.search,
    },
    http: { timeout: providerTimeout, maxBytes: responseMaxBytes, headers: { 'User-Agent': userAgent } },
    options: { authorizationMethod: secretIn },
  }
}

/** GitHub answers a wrong code with 200 and an error. */
function tokensOf(answer: { access_token?: unknown; id_token?: unknown; error?: unknown; error_description?: unknown }): Tokens {
  if (typeof answer.access_token !== 'string') throw refusal(answer)
  return { accessToken: answer.access_token, idToken: typeof answer.id_token === 'string' ? answer.id_token : null }
}

/** What Wreck throws holds our secret beside the answer: only the words go on. */
function refusalOf(error: unknown): ProviderError {
  const { data, message } = error as Error & { data?: { payload?: unknown } | null }
  const payload = data?.payload
  if (typeof payload === 'object' && payload !== null && 'error' in payload) return refusal(payload)
  return new ProviderError(`The token endpoint: ${message}`)
}

function refusal({ error, error_description: description }: { error?: unknown; error_description?: unknown }): ProviderError {
  if (typeof error !== 'string') return new ProviderError('The token endpoint has answered without a token')
  const code = error === 'bad_verification_code' ? 'invalid_grant' : error // as GitHub says it
  return new ProviderError(`The token endpoint: ${typeof description === 'string' ? description : error}`.slice(0, 500), code)
}

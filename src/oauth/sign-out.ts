import type { FastifyReply, FastifyRequest } from 'fastify'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { appUrl } from '../http/app-url.ts'
import { cookiePath } from '../http/base-path.ts'
import type { Caller } from '../http/guards.ts'
import { isSecure } from '../http/https-site.ts'
import { type ClientContext, openClient } from './client.ts'
import type { Identity } from './identity.ts'

const cookieName = 'oauth_sign_out'
const maxLength = 3500 // characters that every browser stores in a cookie, besides its name
type SignOutContext = ClientContext & Pick<Context, 'sealer'>

/** The sign-in with an OpenID Connect provider that a browser stores, to sign out there too. */
interface ProviderSession {
  userId: string
  /** Null when it was too long. */
  idToken: string | null
}

/**
 * Stores the sign-in with an OpenID Connect provider in a cookie, which browsers send only to the
 * sign-out route.
 */
export async function rememberProvider(
  ctx: SignOutContext,
  reply: FastifyReply,
  userId: string,
  { provider, idToken }: Identity,
): Promise<void> {
  if (provider !== 'oidc') return
  const seal = (session: ProviderSession) => ctx.sealer.seal(JSON.stringify(session))
  const sealed = seal({ userId, idToken })
  const { 'general.sessionDuration': hours } = await readSettings(ctx)
  reply.setCookie(cookieName, sealed.length <= maxLength ? sealed : seal({ userId, idToken: null }), {
    ...cookieOptions(reply.request),
    maxAge: hours * 3600,
  })
}

/**
 * Returns the URL at which the provider ends its session too (OpenID Connect RP-Initiated Logout
 * 1.0, 2). Returns undefined when the user did not sign in with it, and when it doesn't support
 * this or is unreachable.
 */
export async function providerSignOut(
  ctx: SignOutContext,
  { userId }: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  const session = readSession(ctx, request.cookies[cookieName])
  if (!session) return undefined
  reply.clearCookie(cookieName, cookieOptions(request))
  const settings = await readSettings(ctx)
  if (session.userId !== userId || !settings['oauth.oidc-signOut']) return undefined
  const base = appUrl(ctx.env, settings['general.appUrl'], request)
  const client = await openClient(ctx, 'oidc', base).catch((err) => ctx.log.warn({ err }, 'sign-out at the provider failed'))
  const endpoint = client?.openId?.metadata.end_session_endpoint
  if (!client || !endpoint) return undefined
  const url = new URL(endpoint)
  if (session.idToken !== null) url.searchParams.set('id_token_hint', session.idToken)
  url.searchParams.set('client_id', client.id)
  url.searchParams.set('post_logout_redirect_uri', `${base}/`)
  return url.href
}

function readSession({ sealer }: SignOutContext, cookie: string | undefined): ProviderSession | null {
  if (!cookie) return null
  try {
    return JSON.parse(sealer.open(cookie)) as ProviderSession
  } catch {
    return null
  }
}

function cookieOptions(request: FastifyRequest) {
  return { path: cookiePath(request, '/api/auth/signOut'), httpOnly: true, sameSite: 'strict' as const, secure: isSecure(request) }
}

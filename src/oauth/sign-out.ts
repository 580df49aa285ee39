import type { FastifyReply, FastifyRequest } from 'fastify'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { appUrl } from '../http/app-url.ts'
import type { Caller } from '../http/guards.ts'
import { isSecure } from '../http/https-site.ts'
import { type ClientContext, openClient } from './client.ts'
import type { Identity } from './identity.ts'

const cookieName = 'oauth_sign_out'
const longest = 3500 // characters that a browser keeps in a cookie for sure, beside its name
type SignOutContext = ClientContext & Pick<Context, 'sealer'>

/** What a browser keeps of its sign-in with an OpenID Connect provider, for signing out there too. */
interface Kept {
  userId: string
  /** Null: it was too long. */
  idToken: string | null
}

/** Has the browser remember that it was signed in by an OpenID Connect provider; only the call that signs out is sent it. */
export async function rememberProvider(
  ctx: SignOutContext,
  reply: FastifyReply,
  userId: string,
  { provider, idToken }: Identity,
): Promise<void> {
  if (provider !== 'oidc') return
  const seal = (kept: Kept) => ctx.sealer.seal(JSON.stringify(kept))
  const whole = seal({ userId, idToken })
  const { 'general.sessionDuration': hours } = await readSettings(ctx)
  reply.setCookie(cookieName, whole.length <= longest ? whole : seal({ userId, idToken: null }), {
    ...cookieOptions(reply.request),
    maxAge: hours * 3600,
  })
}

/**
 * Where the browser is to go so that the provider ends its session too, after ours has ended (OpenID Connect RP-Initiated Logout 1.0, 2). Undefined when
 * the user did not come from it, when it offers no such thing, and when it cannot be reached.
 */
export async function providerSignOut(
  ctx: SignOutContext,
  { userId }: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  const kept = readKept(ctx, request.cookies[cookieName])
  if (!kept) return undefined
  reply.clearCookie(cookieName, cookieOptions(request))
  const settings = await readSettings(ctx)
  if (kept.userId !== userId || !settings['oauth.oidc-signOut']) return undefined
  const base = appUrl(ctx.env, settings['general.appUrl'], request)
  const client = await openClient(ctx, 'oidc', base).catch((err) => ctx.log.warn({ err }, 'nobody is signed out at the provider'))
  const end = client?.openId?.metadata.end_session_endpoint
  if (!client || !end) return undefined
  const address = new URL(end)
  if (kept.idToken !== null) address.searchParams.set('id_token_hint', kept.idToken)
  address.searchParams.set('client_id', client.id)
  address.searchParams.set('post_logout_redirect_uri', `${base}/`)
  return address.href
}

function readKept({ sealer }: SignOutContext, cookie: string | undefined): Kept | null {
  if (!cookie) return null
  try {
    return JSON.parse(sealer.open(cookie)) as Kept
  } catch {
    return null
  }
}

function cookieOptions(request: FastifyRequest) {
  return { path: '/api/auth/signOut', httpOnly: true, sameSite: 'strict' as const, secure: isSecure(request) }
}

import type { FastifyInstance, FastifyReply } from 'fastify'
import { deviceOf, tokenIssuer } from '../auth/sessions/tokens.ts'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { appUrl } from '../http/app-url.ts'
import { callerOf } from '../http/guards.ts'
import { logAccess } from '../http/security-events.ts'
import { openAttempt, type SocialLoginAttempt } from './attempts.ts'
import { type Client, openClient } from './client.ts'
import { SocialError } from './errors.ts'
import { failurePath, signInPath } from './failures.ts'
import { endAttempt, exchangeCode, verifierOf } from './flow.ts'
import { type Identity, identityOf } from './identity.ts'
import type { Provider } from './limits.ts'
import { addLink } from './links.ts'
import { signInWithIdentity } from './sign-in.ts'
import { rememberProvider } from './sign-out.ts'

/** The query of the callback (RFC 6749, 4.1.2; `iss`: RFC 9207). */
interface CallbackQuery {
  code?: string
  state?: string
  error?: string
  iss?: string
}

/**
 * Returns the function that handles a callback: it signs in or links the account.
 * It always returns the path of the page to open, which for failures is the error page.
 */
export function callbackHandler(app: FastifyInstance, ctx: Context) {
  const { issueTokens } = tokenIssuer(app, ctx)

  return async function handleCallback(provider: Provider, query: CallbackQuery, reply: FastifyReply): Promise<string> {
    const opened = query.state === undefined ? null : await openAttempt(ctx, provider, query.state)
    const attempt = opened?.attempt ?? null
    try {
      const verifier = consumeVerifier(provider, query.state, reply)
      if (opened?.isExpired) throw new SocialError('expired_token')
      if (!attempt || verifier === undefined) throw new SocialError('invalid_token', { message: 'this browser has no such attempt' })
      const identity = await identify(attempt, query, verifier, reply)
      return await (attempt.link ? link(attempt.link, identity, reply) : signIn(attempt, identity, reply))
    } catch (error) {
      const isLink = attempt ? attempt.link !== null : (await callerOf(reply.request)) !== null
      if (isRefusal(error) && !isLink) logAccess(ctx, 'sign_in_failed', { userId: null, method: 'oauth' })
      return failurePath(ctx, refusalIn(query) ?? error, { provider, isLink, redirect: attempt?.redirect ?? null })
    }
  }

  async function identify(
    { provider, nonce }: SocialLoginAttempt,
    query: CallbackQuery,
    verifier: string,
    { request }: FastifyReply,
  ): Promise<Identity> {
    if (query.error !== undefined || !query.code) throw new SocialError('default', { message: `the provider reported ${query.error}` })
    const settings = await readSettings(ctx)
    const client = await openClient(ctx, provider, appUrl(ctx.env, settings['general.appUrl'], request))
    requireIssuer(client, query.iss)
    const tokens = await exchangeCode(client, { code: query.code, verifier })
    return identityOf(client, tokens, { identityProviders: ctx.identityProviders, nonce, now: ctx.now(), log: ctx.log })
  }

  async function link(session: NonNullable<SocialLoginAttempt['link']>, identity: Identity, { request }: FastifyReply): Promise<string> {
    const caller = await callerOf(request)
    if (caller && caller.userId !== session.userId) throw new SocialError('invalid_token', { message: 'another user has signed in since' })
    await addLink(ctx, session, identity)
    return '/account'
  }

  async function signIn({ redirect, mayBeFirst }: SocialLoginAttempt, identity: Identity, reply: FastifyReply): Promise<string> {
    const { userId, ...next } = await signInWithIdentity(ctx, identity, deviceOf(reply.request), mayBeFirst)
    await rememberProvider(ctx, reply, userId, identity)
    if (!('loginToken' in next)) {
      issueTokens(reply, next)
      return redirect === null ? '/' : signInPath(redirect)
    }
    const query = new URLSearchParams({ ...(redirect !== null && { redirect }), ...(next.passkey && { passkey: 'true' }) })
    return `/auth/totp/${next.loginToken}${query.size > 0 ? `?${query}` : ''}`
  }
}

/** Ends the browser's attempt with this `state`, and returns its verifier. */
function consumeVerifier(provider: Provider, state: string | undefined, reply: FastifyReply): string | undefined {
  const verifier = state === undefined ? undefined : verifierOf(provider, state, reply.request)
  if (state !== undefined && verifier !== undefined) endAttempt(provider, state, reply)
  return verifier
}

/**
 * Prevents mix-up attacks: a code from another issuer must not be sent to this provider (RFC 9207,
 * 2.4).
 */
function requireIssuer({ openId }: Client, iss: string | undefined): void {
  if (!openId) return
  const { issuer, authorization_response_iss_parameter_supported: sendsIssuer } = openId.metadata
  if (issuer.includes('{tenantid}')) return
  if (iss === undefined ? sendsIssuer === true : iss !== issuer) throw new SocialError('invalid_token', { message: `response from ${iss}` })
}

/** Returns the provider's own refusal, which takes precedence over a missing `state` or `code`. */
function refusalIn({ error }: CallbackQuery): SocialError | null {
  if (error === 'access_denied') return new SocialError('access_denied')
  return error === 'temporarily_unavailable' || error === 'server_error' ? new SocialError('provider_unavailable') : null
}

/** Returns whether the provider's account may not sign in or the callback was forged. */
function isRefusal(error: unknown): boolean {
  const refusals = ['no_user', 'not_linked', 'unverified_account', 'invalid_token', 'discord_guild_permission_denied']
  return error instanceof SocialError && refusals.includes(error.key)
}

import type { FastifyInstance, FastifyReply } from 'fastify'
import { deviceOf, tokenIssuer } from '../auth/sessions/tokens.ts'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { appUrl } from '../http/app-url.ts'
import { callerOf } from '../http/guards.ts'
import { logAccess } from '../http/security-events.ts'
import { type Attempt, openAttempt } from './attempts.ts'
import { type Client, openClient } from './client.ts'
import { SocialError } from './errors.ts'
import { failurePath, signInPath } from './failures.ts'
import { clearAttempt, cookieNames, exchangeCode } from './flow.ts'
import { type Identity, identityOf } from './identity.ts'
import type { Provider } from './limits.ts'
import { addLink } from './links.ts'
import { signInWith } from './sign-in.ts'
import { rememberProvider } from './sign-out.ts'

/** What a provider sends back by the browser (RFC 6749, 4.1.2; `iss`: RFC 9207). */
interface Answer {
  code?: string
  state?: string
  error?: string
  iss?: string
}

/**
 * Gives the function that takes a provider's answer: it signs in, or links, and answers the path of
 * the page to go to, whatever happens.
 */
export function callbackOf(app: FastifyInstance, ctx: Context) {
  const { issueTokens } = tokenIssuer(app, ctx)

  return async function answered(provider: Provider, answer: Answer, reply: FastifyReply): Promise<string> {
    const { cookies } = reply.request
    const names = cookieNames(provider, reply.request)
    let attempt: Attempt | null = null
    clearAttempt(provider, reply)
    try {
      attempt = await openAttempt(ctx, provider, cookies[names.state], answer.state)
      const identity = await identify(attempt, answer, cookies[names.verifier] ?? '', reply)
      return await (attempt.link ? link(attempt.link, identity, reply) : signIn(attempt, identity, reply))
    } catch (error) {
      const isLink = attempt ? attempt.link !== null : (await callerOf(reply.request)) !== null
      if (isRefusal(error) && !isLink) logAccess(ctx, 'sign_in_failed', { userId: null, method: 'oauth' })
      return failurePath(ctx, refusedBy(answer) ?? error, { provider, isLink, redirect: attempt?.redirect ?? null })
    }
  }

  async function identify({ provider, nonce }: Attempt, answer: Answer, verifier: string, { request }: FastifyReply): Promise<Identity> {
    if (answer.error !== undefined || !answer.code) throw new SocialError('default', { message: `the provider says ${answer.error}` })
    const settings = await readSettings(ctx)
    const client = await openClient(ctx, provider, appUrl(ctx.env, settings['general.appUrl'], request))
    requireIssuer(client, answer.iss)
    const tokens = await exchangeCode(client, { code: answer.code, verifier })
    return identityOf(client, tokens, { identityProviders: ctx.identityProviders, nonce, now: ctx.now() })
  }

  async function link(asked: NonNullable<Attempt['link']>, identity: Identity, { request }: FastifyReply): Promise<string> {
    const caller = await callerOf(request)
    if (caller && caller.userId !== asked.userId)
      throw new SocialError('invalid_token', { message: 'somebody else has signed in meanwhile' })
    await addLink(ctx, asked, identity)
    return '/account'
  }

  async function signIn({ redirect, mayBeFirst }: Attempt, identity: Identity, reply: FastifyReply): Promise<string> {
    const { userId, ...next } = await signInWith(ctx, identity, deviceOf(reply.request), mayBeFirst)
    await rememberProvider(ctx, reply, userId, identity)
    if (!('loginToken' in next)) {
      issueTokens(reply, next)
      return redirect === null ? '/' : signInPath(redirect)
    }
    const query = new URLSearchParams({ ...(redirect !== null && { redirect }), ...(next.passkey && { passkey: 'true' }) })
    return `/auth/totp/${next.loginToken}${query.size > 0 ? `?${query}` : ''}`
  }
}

/**
 * A provider that says who it is must be the one that was asked: another's code is not to be shown
 * to it (RFC 9207, 2.4).
 */
function requireIssuer({ openId }: Client, iss: string | undefined): void {
  if (!openId) return
  const { issuer, authorization_response_iss_parameter_supported: isTold } = openId.metadata
  if (issuer.includes('{tenantid}')) return
  if (iss === undefined ? isTold === true : iss !== issuer) throw new SocialError('invalid_token', { message: `an answer of ${iss}` })
}

/** What a provider refuses itself is told as such, even where its answer lacks the rest. */
function refusedBy({ error }: Answer): SocialError | null {
  if (error === 'access_denied') return new SocialError('access_denied')
  return error === 'temporarily_unavailable' || error === 'server_error' ? new SocialError('provider_unavailable') : null
}

/** Whether the provider has named someone whom nobody may sign in as, or its answer was forged. */
function isRefusal(error: unknown): boolean {
  const refusals = ['no_user', 'not_linked', 'unverified_account', 'invalid_token', 'discord_guild_permission_denied']
  return error instanceof SocialError && refusals.includes(error.key)
}

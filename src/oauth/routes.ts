import { randomBytes } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sessionIdOf } from '../auth/sessions/sessions.ts'
import { deviceOf } from '../auth/sessions/tokens.ts'
import { isSetupCode } from '../auth/setup-code.ts'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { appUrl } from '../http/app-url.ts'
import { admin, type Caller, callerOf, signedIn, userOf } from '../http/guards.ts'
import { addressKey } from '../http/networks.ts'
import { consumeAttempt } from '../http/rate-limit.ts'
import { endpoints } from '../http/route.ts'
import { confirm } from '../users/confirm.ts'
import { openAttempt, sealAttempt } from './attempts.ts'
import { callbackHandler } from './callback.ts'
import { availableProviders, openClient } from './client.ts'
import { oauthContract } from './contract.ts'
import { SocialError } from './errors.ts'
import { failurePath, toAppError } from './failures.ts'
import { authorizationUrl } from './flow.ts'
import { isProvider, type Provider, redirectMaxLength, signInStartsPerAddress } from './limits.ts'
import { linkedAccountsOf, removeLink } from './links.ts'
import { testConnection } from './test-connection.ts'

/** Registers the routes for social logins. */
export function oauthRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, oauthContract)
  const own = { onRequest: signedIn('session') }
  browserRoutes(app, ctx)

  on('GET /api/oauth/available', {}, async () => availableProviders(await readSettings(ctx)))

  on('GET /api/oauth/status', own, (request) => linkedAccountsOf(ctx, userOf(request)))

  on('POST /api/oauth/link/:provider', own, async (request, reply) => {
    const provider = requireProvider(request.params.provider)
    const caller = userOf(request)
    await confirm(ctx, caller, request.body?.password)
    try {
      return { url: await startAttempt(ctx, provider, { caller, redirect: null, setupCode: '' }, reply) }
    } catch (error) {
      throw toAppError(error, provider)
    }
  })

  on('POST /api/oauth/unlink/:provider', own, async (request, reply) => {
    await removeLink(ctx, userOf(request), requireProvider(request.params.provider), request.body?.password)
    return reply.send()
  })

  on('POST /api/oauth/test/:provider', { onRequest: admin }, async (request) => {
    const provider = requireProvider(request.params.provider)
    const base = await siteUrl(ctx, request)
    await testConnection(ctx, provider, base)
    return { redirectUri: `${base}/api/oauth/callback/${provider}` }
  })
}

/** Registers the two routes that browsers navigate to. They redirect failures to the error page. */
function browserRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, oauthContract)
  const handleCallback = callbackHandler(app, ctx)

  on('GET /api/oauth/auth/:provider', {}, async (request, reply) => {
    const provider = requireProvider(request.params.provider)
    reply.header('cache-control', 'no-store')
    if (await callerOf(request)) return reply.redirect('/account') // linking starts there, with a request that no other site can forge
    const { redirect = null, setupCode = '' } = request.query
    try {
      return reply.redirect(await startAttempt(ctx, provider, { caller: null, redirect, setupCode }, reply))
    } catch (error) {
      if (!request.headers.accept?.includes('text/html')) throw toAppError(error, provider)
      return reply.redirect(failurePath(ctx, error, { provider, isLink: false, redirect }))
    }
  })

  on('GET /api/oauth/callback/:provider', { errorHandler: onErrorPage(ctx) }, async (request, reply) => {
    const provider = requireProvider(request.params.provider)
    reply.header('cache-control', 'no-store')
    return reply.redirect(await handleCallback(provider, request.query, reply))
  })
}

/**
 * Returns an error handler that redirects to the error page when a query is malformed, such as a
 * repeated `code`.
 */
function onErrorPage(ctx: Context) {
  return async (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const { provider } = request.params as { provider: string }
    if (error.validationContext !== 'querystring' || !isProvider(provider)) throw error
    const { state, redirect } = request.query as Record<string, unknown>
    const opened = typeof state === 'string' ? await openAttempt(ctx, provider, state) : null
    const back = {
      isLink: Boolean(opened?.attempt.link),
      redirect: opened?.attempt.redirect ?? (typeof redirect === 'string' ? redirect : null),
    }
    const failure = new SocialError('invalid_token', { message: 'the query of the address is malformed' })
    return reply
      .code(302)
      .header('cache-control', 'no-store')
      .redirect(failurePath(ctx, failure, { provider, ...back }))
  }
}

/**
 * Starts a sign-in, or a link to the caller's account, and returns the provider's URL for the
 * browser.
 */
async function startAttempt(
  ctx: Context,
  provider: Provider,
  { caller, redirect, setupCode }: { caller: Caller | null; redirect: string | null; setupCode: string },
  reply: FastifyReply,
): Promise<string> {
  await consumeAttempt(ctx, signInStartsPerAddress, addressKey(deviceOf(reply.request).address))
  const client = await openClient(ctx, provider, await siteUrl(ctx, reply.request))
  const nonce = randomBytes(16).toString('base64url')
  const link = caller && { userId: caller.userId, sessionId: sessionIdOf(caller) }
  const path = redirect !== null && redirect.length <= redirectMaxLength ? redirect : null
  const mayBeFirst = isSetupCode(ctx.sealer, setupCode)
  const state = await sealAttempt(ctx, { provider, nonce, redirect: path, link, mayBeFirst })
  return authorizationUrl(client, { state, nonce }, reply)
}

function requireProvider(provider: string): Provider {
  if (!isProvider(provider)) throw new AppError('not_found')
  return provider
}

async function siteUrl(ctx: Context, request: FastifyRequest): Promise<string> {
  return appUrl(ctx.env, (await readSettings(ctx))['general.appUrl'], request)
}

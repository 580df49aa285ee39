import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { appUrl } from '../../http/app-url.ts'
import { signedIn, userOf } from '../../http/guards.ts'
import { endpoints } from '../../http/route.ts'
import { deviceOf, tokenIssuer } from '../sessions/tokens.ts'
import { addPasskey, beginPasskey, changePasskey, listPasskeys, removePasskey } from './account.ts'
import { passkeysContract } from './contract.ts'
import { type RelyingParty, relyingPartyOf } from './passkeys.ts'
import { beginPasskeySignIn, signInWithPasskey } from './sign-in.ts'

/** Registers the routes for passkeys and for signing in with them. */
export function passkeyRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, passkeysContract)
  const { issueTokens } = tokenIssuer(app, ctx)
  const own = { onRequest: signedIn('session') }

  on('POST /api/auth/signIn/passkey/options', {}, async (request) =>
    beginPasskeySignIn(ctx, await relyingPartyFor(request), request.body?.loginToken, request.ip),
  )

  on('POST /api/auth/signIn/passkey', {}, async (request, reply) =>
    issueTokens(reply, await signInWithPasskey(ctx, await relyingPartyFor(request), request.body, deviceOf(request))),
  )

  on('GET /api/auth/passkeys', own, (request) => listPasskeys(ctx, userOf(request)))

  on('POST /api/auth/passkeys/options', own, async (request) =>
    beginPasskey(ctx, await relyingPartyFor(request), userOf(request), request.body?.password),
  )

  on('POST /api/auth/passkeys', own, async (request) => addPasskey(ctx, await relyingPartyFor(request), userOf(request), request.body))

  on('PATCH /api/auth/passkeys/:id', own, (request) => changePasskey(ctx, userOf(request), request.params.id, request.body.name))

  on('DELETE /api/auth/passkeys/:id', own, (request) => removePasskey(ctx, userOf(request), request.params.id, request.body?.password))

  /** Trusts the Host header, because browsers sign only for the site that they show. */
  async function relyingPartyFor(request: FastifyRequest): Promise<RelyingParty> {
    const settings = await readSettings(ctx)
    return relyingPartyOf(appUrl(ctx.env, settings['general.appUrl'], request), settings['general.appName'])
  }
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { appUrl } from '../../http/app-url.ts'
import { signedIn, userOf } from '../../http/guards.ts'
import { endpoints } from '../../http/route.ts'
import { deviceOf, tokenIssuer } from '../sessions/tokens.ts'
import { addPasskey, beginPasskey, changePasskey, listPasskeys, removePasskey } from './account.ts'
import { passkeysContract } from './contract.ts'
import { relyingPartyOf, type Site } from './passkeys.ts'
import { beginPasskeySignIn, signInWithPasskey } from './sign-in.ts'

export function passkeyRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, passkeysContract)
  const { issueTokens } = tokenIssuer(app, ctx)
  const own = { onRequest: signedIn('session') }

  on('POST /api/auth/signIn/passkey/options', {}, async (request) =>
    beginPasskeySignIn(ctx, await siteOf(request), request.body?.loginToken, request.ip),
  )

  on('POST /api/auth/signIn/passkey', {}, async (request, reply) =>
    issueTokens(reply, await signInWithPasskey(ctx, await siteOf(request), request.body, deviceOf(request))),
  )

  on('GET /api/auth/passkeys', own, (request) => listPasskeys(ctx, userOf(request)))

  on('POST /api/auth/passkeys/options', own, async (request) =>
    beginPasskey(ctx, await siteOf(request), userOf(request), request.body?.password),
  )

  on('POST /api/auth/passkeys', own, async (request) => addPasskey(ctx, await siteOf(request), userOf(request), request.body))

  on('PATCH /api/auth/passkeys/:id', own, (request) => changePasskey(ctx, userOf(request), request.params.id, request.body.name))

  on('DELETE /api/auth/passkeys/:id', own, (request) => removePasskey(ctx, userOf(request), request.params.id, request.body?.password))

  /**
   * A visitor may make one up by the Host header, but not a passkey's answer for another site than
   * its browser sees.
   */
  async function siteOf(request: FastifyRequest): Promise<Site> {
    const settings = await readSettings(ctx)
    return relyingPartyOf(appUrl(ctx.env, settings['general.appUrl'], request), settings['general.appName'])
  }
}

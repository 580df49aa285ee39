import type { FastifyInstance } from 'fastify'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { appUrl } from '../http/app-url.ts'
import { signedIn, userOf } from '../http/guards.ts'
import { endpoints } from '../http/route.ts'
import { mayUse } from '../shares/owner.ts'
import { giveReverseUnlock, isReverseUnlocked } from '../shares/reverse-unlock.ts'
import { reverseSharesContract } from './contract.ts'
import { openReverseShare, ownReverseShare, uploadLink } from './present.ts'
import { receivedShares, reverseSharesOf } from './queries.ts'
import * as service from './service.ts'

/** The calls about links through which others send files: of those who make them, and of those who have one. */
export function reverseSharesRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, reverseSharesContract)

  on('POST /api/reverseShares', { onRequest: signedIn('shares:write') }, async (request) => {
    const settings = await readSettings(ctx)
    const { id, token } = await service.create(ctx, settings, userOf(request).userId, request.body)
    return { id, token, link: uploadLink(appUrl(ctx.env, settings['general.appUrl'], request), token) }
  })

  on('GET /api/reverseShares', { onRequest: signedIn('shares:read') }, async (request) => {
    const { userId } = userOf(request)
    const [settings, links, received] = await Promise.all([
      readSettings(ctx),
      reverseSharesOf(ctx.db, userId, ctx.now()),
      receivedShares(ctx.db, userId, ctx.now()),
    ])
    const base = appUrl(ctx.env, settings['general.appUrl'], request)
    const through = Map.groupBy(received, ({ reverseShareId }) => reverseShareId)
    return links.map((link) => ownReverseShare(link, through.get(link.id) ?? [], base))
  })

  on('GET /api/reverseShares/isReverseShareTokenAvailable/:token', {}, async (request) => ({
    isAvailable: await service.isTokenFree(ctx, request.params.token),
  }))

  on('GET /api/reverseShares/:token', {}, async (request) => {
    const reverse = await service.find(ctx, request.params.token)
    if (!isReverseUnlocked(ctx, request, reverse)) throw new AppError('reverse_share_password_required')
    return openReverseShare(reverse, (await readSettings(ctx))['share.maxSize'])
  })

  on('POST /api/reverseShares/:token/unlock', {}, async (request, reply) => {
    const reverse = await service.find(ctx, request.params.token)
    await service.checkPassword(ctx, request.ip, reverse, request.body.password)
    giveReverseUnlock(ctx, request, reply, reverse)
  })

  on('DELETE /api/reverseShares/:id', { onRequest: signedIn('shares:write') }, async (request) => {
    const caller = userOf(request)
    await service.remove(ctx, { userId: caller.userId, isAdmin: caller.isAdmin && mayUse(caller, 'admin') }, request.params.id)
  })
}

import type { FastifyInstance } from 'fastify'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { appUrl } from '../http/app-url.ts'
import { admin, anyone, callerOf, signedIn, userOf } from '../http/guards.ts'
import { endpoints } from '../http/route.ts'
import { sharesContract } from './contract.ts'
import { giveOwnerCookie, ownShare } from './owner.ts'
import { createdShare, linkOf, timeOf } from './present.ts'
import * as queries from './queries.ts'
import * as service from './service.ts'

/** The calls of those who make shares and own them. */
export function sharesRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, sharesContract)

  on('POST /api/shares', { preHandler: anyone('shares:write') }, async (request, reply) => {
    const settings = await readSettings(ctx)
    const caller = await callerOf(request)
    const { share, ownerToken } = await service.create(ctx, settings, caller?.userId ?? null, request.body)
    if (ownerToken) giveOwnerCookie(request, reply, share, ownerToken)
    return createdShare(share, appUrl(ctx.env, settings['general.appUrl'], request), ownerToken)
  })

  on('GET /api/shares', { preHandler: signedIn('shares:read') }, async (request, reply) => {
    const { userId } = userOf(request)
    const { search } = request.query
    const [settings, shares, count] = await Promise.all([
      readSettings(ctx),
      queries.ownedBy(ctx.db, userId, ctx.now(), request.query),
      queries.countOwnedBy(ctx.db, userId, ctx.now(), search),
    ])
    const base = appUrl(ctx.env, settings['general.appUrl'], request)
    reply.header('x-total-count', count)
    return shares.map(({ expiresAt, createdAt, passwordProtected, maxViews, ...share }) => ({
      ...share,
      expiration: timeOf(expiresAt),
      createdAt: createdAt.toISOString(),
      fileCount: share.files.length,
      link: linkOf(base, share.id),
      recipients: [],
      security: { passwordProtected, maxViews },
      editing: false,
    }))
  })

  on('GET /api/shares/all', { preHandler: admin }, async (request, reply) => {
    const [settings, shares, count] = await Promise.all([
      readSettings(ctx),
      queries.everyShare(ctx.db, ctx.now(), request.query),
      queries.countShares(ctx.db, ctx.now(), request.query.search),
    ])
    const base = appUrl(ctx.env, settings['general.appUrl'], request)
    reply.header('x-total-count', count)
    return shares.map(({ expiresAt, createdAt, completedAt, username, ...share }) => ({
      ...share,
      expiration: timeOf(expiresAt),
      createdAt: createdAt.toISOString(),
      completed: completedAt !== null,
      link: linkOf(base, share.id),
      creator: username === null ? null : { username },
    }))
  })

  on('GET /api/shares/isShareIdAvailable/:id', {}, async (request) => ({ isAvailable: await service.isLinkFree(ctx, request.params.id) }))

  on('GET /api/shares/:id/from-owner', { preHandler: anyone('shares:read') }, async (request) => {
    const { share } = await ownShare(ctx, request, request.params.id)
    const page = await service.ownerPage(ctx.db, share)
    const settings = await readSettings(ctx)
    return {
      ...page,
      files: page.files.map((file) => ({ ...file, published: share.completedAt !== null })),
      views: share.views,
      maxViews: share.maxViews,
      maxSize: settings['share.maxSize'],
      completed: share.completedAt !== null,
      editing: false,
      link: linkOf(appUrl(ctx.env, settings['general.appUrl'], request), share.id),
      received: false,
      sender: null,
    }
  })

  on('POST /api/shares/:id/complete', { preHandler: anyone('shares:write') }, async (request) => {
    const { share } = await ownShare(ctx, request, request.params.id)
    const [settings, completed] = [await readSettings(ctx), await service.complete(ctx, share.uid)]
    return createdShare(completed, appUrl(ctx.env, settings['general.appUrl'], request))
  })

  on('DELETE /api/shares/:id', { preHandler: anyone('shares:write') }, async (request) => {
    const { share, right } = await ownShare(ctx, request, request.params.id)
    await service.remove(ctx, share, right)
  })
}

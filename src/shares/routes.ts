import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Recording } from '../activity/recorder.ts'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { appUrl } from '../http/app-url.ts'
import { admin, anyone, callerOf, signedIn, userOf } from '../http/guards.ts'
import { consumeHash } from '../http/hash-attempts.ts'
import { consumeProbe, countingTaken } from '../http/probes.ts'
import { endpoints } from '../http/route.ts'
import { sharesContract } from './contract.ts'
import { createShare, creationGuard } from './create.ts'
import { remove, removeOwn, undelete } from './deletion/deletion.ts'
import { keptUntil } from './deletion/grace.ts'
import * as editing from './editing/editing.ts'
import { countAllShares, listAllShares } from './lists/all-shares.ts'
import { countOwnedShares, listOwnedShares } from './lists/queries.ts'
import { findEditableShare, findOwnShare, renewOwnerCookie } from './owner.ts'
import { createdShare, linkOf, ownerPage, timeOf } from './present.ts'
import { recordSent } from './reverse/activity.ts'
import * as service from './service.ts'
import { requireVerifiedEmail } from './verified-email.ts'

/** Registers the calls for creators and owners of shares. */
export function sharesRoutes(app: FastifyInstance, ctx: Context & Recording): void {
  const on = endpoints(app, sharesContract)

  const writing = { onRequest: anyone('shares:write') }
  const senderOf = async (request: FastifyRequest) => (await callerOf(request)) ?? { address: request.ip }
  const baseUrl = async (request: FastifyRequest) => appUrl(ctx.env, (await readSettings(ctx))['general.appUrl'], request)

  on('POST /api/shares', { onRequest: [anyone('shares:write'), creationGuard(ctx)] }, async (request, reply) => {
    const { share, ownerToken } = await countingTaken(ctx, request, () => createShare(ctx, request, reply, request.body))
    return createdShare(share, await baseUrl(request), ownerToken)
  })

  on('GET /api/shares', { onRequest: signedIn('shares:read') }, async (request, reply) => {
    const { userId } = userOf(request)
    const settings = await readSettings(ctx)
    const grace = { now: ctx.now(), graceDays: settings['share.graceDays'] }
    const [shares, count] = await Promise.all([
      listOwnedShares(ctx.db, userId, grace, request.query),
      countOwnedShares(ctx.db, userId, grace, request.query),
    ])
    const base = appUrl(ctx.env, settings['general.appUrl'], request)
    reply.header('x-total-count', count)
    return shares.map(({ expiresAt, createdAt, passwordProtected, maxViews, ...share }) => ({
      ...share,
      expiration: timeOf(expiresAt),
      keptUntil: keptUntil(expiresAt, grace)?.toISOString() ?? null,
      createdAt: createdAt.toISOString(),
      link: linkOf(base, share.id),
      security: { passwordProtected, maxViews },
    }))
  })

  on('GET /api/shares/all', { onRequest: admin }, async (request, reply) => {
    const [settings, shares, count] = await Promise.all([
      readSettings(ctx),
      listAllShares(ctx.db, ctx.now(), request.query),
      countAllShares(ctx.db, ctx.now(), request.query.search),
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

  on('GET /api/shares/isShareIdAvailable/:id', {}, async (request) => {
    await consumeProbe(ctx, request)
    return { isAvailable: await service.isLinkFree(ctx, request.params.id) }
  })

  on('GET /api/shares/:id/from-owner', { onRequest: anyone('shares:read') }, async (request) => {
    const { share, right } = await findOwnShare(ctx, request, request.params.id)
    return ownerPage(ctx.db, await readSettings(ctx), share, right, await baseUrl(request))
  })

  on('POST /api/shares/:id/complete', writing, async (request) => {
    const { share } = await findEditableShare(ctx, request, request.params.id)
    const base = await baseUrl(request)
    const { share: completed, notified } = await editing.complete(ctx, share.uid, base)
    if (notified !== undefined) recordSent(ctx, request, 'received', completed)
    return { ...createdShare(completed, base), ...(notified !== undefined && { notifyReverseShareCreator: notified }) }
  })

  on('DELETE /api/shares/:id/complete', writing, async (request) => {
    const { share } = await findEditableShare(ctx, request, request.params.id)
    return createdShare(await editing.reopen(ctx, share.uid), await baseUrl(request))
  })

  on('POST /api/shares/:id/restore', writing, async (request) => {
    const { share } = await findEditableShare(ctx, request, request.params.id)
    return createdShare(await editing.restore(ctx, share.uid), await baseUrl(request))
  })

  on('PATCH /api/shares/:id', writing, async (request, reply) => {
    const { share, right } = await findEditableShare(ctx, request, request.params.id)
    const base = await baseUrl(request)
    if (request.body.recipients?.length) requireVerifiedEmail(await readSettings(ctx), await callerOf(request))
    if (request.body.password) await consumeHash(ctx, 'share', { userId: (await callerOf(request))?.userId, address: request.ip })
    const changed = await editing.change(ctx, share, { right, sender: await senderOf(request) }, request.body, base)
    if (right === 'anonymous creator') renewOwnerCookie(ctx, request, reply, changed)
    return ownerPage(ctx.db, await readSettings(ctx), changed, right, base)
  })

  on('POST /api/shares/:id/adopt', { onRequest: signedIn('shares:write') }, async (request) => {
    const { share } = await findOwnShare(ctx, request, request.params.id)
    const adopted = await editing.adopt(ctx, share.uid, { userId: userOf(request).userId, publicAccess: request.body?.publicAccess })
    return ownerPage(ctx.db, await readSettings(ctx), adopted, 'owner', await baseUrl(request))
  })

  on('DELETE /api/shares/:id', writing, async (request) => {
    const { share, right } = await findOwnShare(ctx, request, request.params.id)
    await remove(ctx, share, { right, userId: (await callerOf(request))?.userId })
  })

  on('POST /api/shares/delete', { onRequest: signedIn('shares:write') }, async (request) => ({
    ids: await removeOwn(ctx, userOf(request).userId, request.body.ids),
  }))

  on('POST /api/shares/extend', { onRequest: signedIn('shares:write') }, async (request) => {
    const { ids, expiration } = request.body
    return { ids: await service.extend(ctx, userOf(request).userId, ids, expiration) }
  })

  on('POST /api/shares/undelete', { onRequest: signedIn('shares:write') }, async (request) => ({
    ids: await undelete(ctx, userOf(request).userId, request.body.ids),
  }))
}

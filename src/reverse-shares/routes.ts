import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Recording } from '../activity/recorder.ts'
import { recordUploadLink } from '../activity/upload-links.ts'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { isAutomatic } from '../downloads/visits.ts'
import { AppError } from '../errors.ts'
import { appUrl } from '../http/app-url.ts'
import { callerOf, signedIn, userOf } from '../http/guards.ts'
import { consumeHash } from '../http/hash-attempts.ts'
import { consumeProbe, countingTaken, refuseProbers } from '../http/probes.ts'
import { endpoints } from '../http/route.ts'
import { isPermitted } from '../shares/owner.ts'
import { recordClosed, recordingRefusal } from '../shares/reverse/activity.ts'
import type { ReverseShare } from '../shares/reverse/queries.ts'
import { turnOffReceivedNotices } from '../shares/reverse/received-shares.ts'
import { isReverseUnlocked, setReverseUnlockCookie } from '../shares/reverse/unlock.ts'
import { requireVerifiedEmail } from '../shares/verified-email.ts'
import { reverseSharesContract } from './contract.ts'
import { openReverseShare, ownReverseShare, receivedShare, uploadLink } from './present.ts'
import * as service from './service.ts'

/** Registers the calls for upload links, for their owners and for visitors. */
export function reverseSharesRoutes(app: FastifyInstance, ctx: Context & Recording): void {
  const on = endpoints(app, reverseSharesContract)

  on('POST /api/reverseShares', { onRequest: signedIn('shares:write') }, async (request) => {
    const settings = await readSettings(ctx)
    const { userId } = userOf(request)
    requireVerifiedEmail(settings, userOf(request))
    if (request.body.password) await consumeHash(ctx, 'share', { userId })
    const { id, token } = await countingTaken(ctx, request, () => service.create(ctx, settings, userId, request.body))
    return { id, token, link: uploadLink(appUrl(ctx.env, settings['general.appUrl'], request), token) }
  })

  on('GET /api/reverseShares', { onRequest: signedIn('shares:read') }, async (request, reply) => {
    const [settings, { links, count }] = await Promise.all([readSettings(ctx), service.list(ctx, userOf(request).userId, request.query)])
    const base = appUrl(ctx.env, settings['general.appUrl'], request)
    reply.header('x-total-count', count)
    return links.map(({ reverse, ...received }) => ownReverseShare(reverse, received, base))
  })

  on('GET /api/reverseShares/:id/shares', { onRequest: signedIn('shares:read') }, async (request, reply) => {
    const [settings, { shares, count }] = await Promise.all([
      readSettings(ctx),
      service.listReceived(ctx, userOf(request).userId, request.params.id, request.query),
    ])
    const base = appUrl(ctx.env, settings['general.appUrl'], request)
    reply.header('x-total-count', count)
    return shares.map((share) => receivedShare(share, base))
  })

  on('GET /api/reverseShares/isReverseShareTokenAvailable/:token', {}, async (request) => {
    await consumeProbe(ctx, request)
    return { isAvailable: await service.isTokenFree(ctx, request.params.token) }
  })

  on('GET /api/reverseShares/:token', {}, async (request) => {
    const reverse = await findCounted(request, request.params.token)
    if (!isReverseUnlocked(ctx, request, reverse)) throw new AppError('reverse_share_password_required')
    const left = await recording(request, reverse, () => service.bytesLeft(ctx, reverse))
    await recordOpened(request, reverse)
    return openReverseShare(reverse, Math.min((await readSettings(ctx))['share.maxSize'], left))
  })

  on('POST /api/reverseShares/:token/unlock', {}, async (request, reply) => {
    const reverse = await findCounted(request, request.params.token)
    await recording(request, reverse, () => service.checkPassword(ctx, request.ip, reverse, request.body.password))
    setReverseUnlockCookie(ctx, request, reply, reverse)
  })

  on('DELETE /api/reverseShares/:id', { onRequest: signedIn('shares:write') }, async (request) => {
    const caller = userOf(request)
    await service.remove(ctx, { userId: caller.userId, isAdmin: caller.isAdmin && isPermitted(caller, 'admin') }, request.params.id)
  })

  on('PATCH /api/reverseShares/:id', { onRequest: signedIn('shares:write') }, async (request) => {
    const settings = await readSettings(ctx)
    const { userId } = userOf(request)
    requireVerifiedEmail(settings, userOf(request))
    if (request.body.password) await consumeHash(ctx, 'share', { userId })
    const { id, token } = await service.change(ctx, settings, { userId, id: request.params.id }, request.body)
    return { id, token, link: uploadLink(appUrl(ctx.env, settings['general.appUrl'], request), token) }
  })

  on('POST /api/reverseShares/:id/replace', { onRequest: signedIn('shares:write') }, async (request) => {
    const settings = await readSettings(ctx)
    const { userId } = userOf(request)
    requireVerifiedEmail(settings, userOf(request))
    const replaced = await countingTaken(ctx, request, () => service.replace(ctx, { userId, id: request.params.id }, request.body?.token))
    return {
      id: replaced.id,
      token: replaced.token,
      link: uploadLink(appUrl(ctx.env, settings['general.appUrl'], request), replaced.token),
    }
  })

  on('POST /api/reverseShares/notices/off', {}, (request) => turnOffReceivedNotices(ctx, request.body.token))

  on('POST /api/reverseShares/:id/undelete', { onRequest: signedIn('shares:write') }, async (request) => {
    await service.undelete(ctx, userOf(request).userId, request.params.id)
  })

  /** Runs `work`, and records for the owner of a link that a visitor was refused. */
  function recording<T>(request: FastifyRequest, { id, ownerId }: ReverseShare, work: () => Promise<T>): Promise<T> {
    return recordingRefusal(ctx, request, { reverseShareId: id, receiverId: ownerId }, work)
  }

  /** Finds a usable link, and counts unknown ones to stop callers that probe links. */
  async function findCounted(request: FastifyRequest, token: string) {
    await refuseProbers(ctx, request)
    try {
      return await service.find(ctx, token)
    } catch (error) {
      await recordClosed(ctx, request, token)
      await consumeProbe(ctx, request)
      throw error
    }
  }

  /** Records that a visitor opened a link, other than its owner and programs that prefetch it. */
  async function recordOpened(request: FastifyRequest, { id, ownerId }: ReverseShare): Promise<void> {
    if (request.method !== 'GET' || isAutomatic(request, { by: 'public' }) || (await callerOf(request))?.userId === ownerId) return
    recordUploadLink(ctx, request, id, { kind: 'opened' })
  }
}

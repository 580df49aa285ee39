import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { appUrl } from '../../http/app-url.ts'
import { anyone, callerOf, signedIn, userOf } from '../../http/guards.ts'
import { endpoints } from '../../http/route.ts'
import { findEditableShare, type Right } from '../owner.ts'
import type { Share } from '../queries.ts'
import { requireVerifiedEmail } from '../verified-email.ts'
import { recipientsContract } from './contract.ts'
import { knownRecipients } from './known.ts'
import { listRecipients, recipientOf } from './list.ts'
import { mailRecipient } from './mail-again.ts'
import { removeRecipient } from './recipients.ts'

/** Registers the calls for the recipients of a share. */
export function recipientsRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, recipientsContract)
  const writing = { onRequest: anyone('shares:write') }

  on('GET /api/shares/:id/recipients', { onRequest: anyone('shares:read') }, async (request) => {
    const { share, right } = await findEditableShare(ctx, request, request.params.id)
    return listRecipients(ctx, share.id, hasActivity(share, right))
  })

  on('POST /api/shares/:id/recipients/:recipientId/mail', writing, (request) => mail(request, request.params))

  on('POST /api/shares/:id/recipients/:recipientId/retry', writing, (request) => mail(request, request.params, true))

  on('DELETE /api/shares/:id/recipients/:recipientId', writing, async (request) => {
    const { share } = await findEditableShare(ctx, request, request.params.id)
    await removeRecipient(ctx, share.uid, request.params.recipientId)
  })

  on('GET /api/recipients', { onRequest: signedIn('shares:read') }, (request) => knownRecipients(ctx.db, userOf(request).userId, ctx.now()))

  async function mail(request: FastifyRequest, { id, recipientId }: { id: string; recipientId: string }, onlyFailed = false) {
    const { share, right } = await findEditableShare(ctx, request, id)
    const [settings, caller] = [await readSettings(ctx), await callerOf(request)]
    requireVerifiedEmail(settings, caller)
    const sender = caller ?? { address: request.ip }
    const baseUrl = appUrl(ctx.env, settings['general.appUrl'], request)
    await mailRecipient(ctx, sender, { uid: share.uid, recipientId, onlyFailed }, baseUrl)
    return recipientOf(ctx, share.id, recipientId, hasActivity(share, right))
  }
}

/**
 * Returns whether the caller may know what recipients opened and downloaded. That of a received share
 * is known only to its receiver, and administrators see only that of their own shares.
 */
function hasActivity({ receiverId }: Share, right: Right): boolean {
  return right !== 'admin' && receiverId === null
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { appUrl } from '../../http/app-url.ts'
import { refusedField } from '../../http/error-handler.ts'
import { anyone, callerOf } from '../../http/guards.ts'
import { consumeHash } from '../../http/hash-attempts.ts'
import { countingTaken } from '../../http/probes.ts'
import { endpoints } from '../../http/route.ts'
import { change } from '../editing/editing.ts'
import { findEditableShare, type Right, refuseSender, renewOwnerCookie } from '../owner.ts'
import type { Share } from '../queries.ts'
import { requireVerifiedEmail } from '../verified-email.ts'
import { type LinkChanges, linksContract } from './contract.ts'
import { firstLink, otherLink } from './present.ts'
import * as queries from './queries.ts'
import { addRecipientLink } from './recipient-link.ts'
import * as service from './service.ts'

/** Registers the calls for the links of a share. */
export function linksRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, linksContract)
  const writing = { onRequest: anyone('shares:write') }
  const baseUrl = async (request: FastifyRequest) => appUrl(ctx.env, (await readSettings(ctx))['general.appUrl'], request)
  const nowFor = async (request: FastifyRequest) => ({ now: ctx.now(), baseUrl: await baseUrl(request) })

  on('GET /api/shares/:id/links', { onRequest: anyone('shares:read') }, async (request) => {
    const { share, right } = await findEditableShare(ctx, request, request.params.id)
    if (right !== 'admin') await refuseSender(request, share)
    const now = await nowFor(request)
    return [firstLink(share, now), ...(await queries.furtherLinks(ctx.db, share.id)).map((link) => otherLink(link, now))]
  })

  on('POST /api/shares/:id/links', writing, async (request) => {
    const { share, right } = await findLinkable(ctx, request, request.params.id)
    await countHash(request, request.body)
    const now = await nowFor(request)
    const { recipient, verifyEmail, ...link } = request.body
    if (recipient === undefined) {
      if (verifyEmail !== undefined) throw service.needsRecipient()
      return otherLink(await countingTaken(ctx, request, () => service.addLink(ctx, share, link)), now)
    }
    requireVerifiedEmail(await readSettings(ctx), await callerOf(request))
    const sender = (await callerOf(request)) ?? { address: request.ip }
    const adding = { share, right, sender, baseUrl: now.baseUrl }
    return otherLink(await countingTaken(ctx, request, () => addRecipientLink(ctx, adding, { ...request.body, recipient })), now)
  })

  on('PATCH /api/shares/:id/links/:link', writing, async (request, reply) => {
    const { share, right } = await findLinkable(ctx, request, request.params.id)
    await countHash(request, request.body)
    const now = await nowFor(request)
    if (request.params.link !== share.id) {
      return otherLink(await service.changeLink(ctx, share, await existing(share, request.params.link), request.body), now)
    }
    const changed = await changeFirst(request, share, right, request.body, now.baseUrl)
    if (right === 'anonymous creator') renewOwnerCookie(ctx, request, reply, changed)
    return firstLink(changed, now)
  })

  on('POST /api/shares/:id/links/:link/replace', writing, async (request) => {
    const { share } = await findLinkable(ctx, request, request.params.id)
    const id = request.body?.id
    const further = request.params.link === share.id ? null : await existing(share, request.params.link)
    const replaced = await countingTaken(ctx, request, () =>
      further ? service.replaceLink(ctx, share, further, id) : service.replaceFirstLink(ctx, share, id),
    )
    return otherLink(replaced, await nowFor(request))
  })

  on('DELETE /api/shares/:id/links/:link', writing, async (request) => {
    const { share } = await findLinkable(ctx, request, request.params.id)
    if (request.params.link === share.id) throw new AppError('first_link_kept')
    await service.deleteLink(ctx, share, await existing(share, request.params.link))
  })

  async function countHash(request: FastifyRequest, { password }: LinkChanges): Promise<void> {
    if (password) await consumeHash(ctx, 'share', { userId: (await callerOf(request))?.userId, address: request.ip })
  }

  async function existing(share: Share, id: string): Promise<queries.FurtherLink> {
    const link = await queries.furtherLink(ctx.db, share.id, id)
    if (!link) throw new AppError('link_not_found')
    return link
  }

  /** Changes the rules of the share itself, because the first link has those; it ends with the share. */
  async function changeFirst(request: FastifyRequest, share: Share, right: Right, changes: LinkChanges, base: string): Promise<Share> {
    const { label: linkLabel, enabled: linkEnabled, expiration, verifyEmail, ...rules } = changes
    if (verifyEmail !== undefined) throw service.needsRecipient()
    if (expiration !== undefined) throw refusedField('expiration', 'of the first link is that of the share', 'const')
    const sender = (await callerOf(request)) ?? { address: request.ip }
    return change(ctx, share, { right, sender }, { ...rules, linkLabel, linkEnabled }, base)
  }
}

/**
 * Returns the share `id` like `findEditableShare`, for callers who want to change its links.
 * @throws {AppError} the errors of `findEditableShare`
 * @throws {AppError} forbidden: also for the sender of a received share, whose receiver decides who
 *   can open it
 */
async function findLinkable(ctx: Context, request: FastifyRequest, id: string): Promise<{ share: Share; right: Right }> {
  const found = await findEditableShare(ctx, request, id)
  if (found.share.receiverId !== null && found.right !== 'admin') throw new AppError('forbidden')
  return found
}

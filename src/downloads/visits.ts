import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { addressKey } from '../http/networks.ts'
import { consumeAttempt } from '../http/rate-limit.ts'
import type { ByteRange } from '../storage/object-store.ts'
import type { Viewer } from './guard.ts'
import { countView, type ShareAccess } from './queries.ts'
import { newUnlock, setUnlockCookie, unlockableLink } from './unlock-token.ts'
import { visitorOf } from './visitor.ts'

type Counting = Pick<Context, 'db' | 'limiters' | 'now' | 'sealer'>

/** Views that one address may use of a share whose views are limited. */
const viewsOfAddress = { name: 'share-views', attempts: 10, seconds: 600 }
/**
 * Remembers which addresses have begun a download of such a share, so that they can resume it
 * without cookies for a day.
 */
const downloads = { name: 'share-downloads', attempts: Number.MAX_SAFE_INTEGER, seconds: 86_400 }

/** Programs that fetch a posted link to show a preview. */
const previewRobots =
  /\b(?:Slackbot|Slack-ImgProxy|Twitterbot|facebookexternalhit|Facebot|LinkedInBot|Discordbot|TelegramBot|WhatsApp|SkypeUriPreview|MicrosoftPreview|Mastodon|Signal|redditbot|Pinterestbot|Applebot|Googlebot|GoogleImageProxy|bingbot|Iframely|Embedly|vkShare|Viber|Zoombot|ms-office)\b/i

/**
 * Checks that a view is left for a share's bytes, or that the caller resumes a download.
 *
 * @throws {AppError} share_max_views_exceeded
 */
export async function requireView(ctx: Counting, request: FastifyRequest, { access, by }: Viewer): Promise<void> {
  if (by !== 'public' || access.viewsLeft) return
  const isRange = request.method === 'GET' && request.headers.range !== undefined
  if (!isRange || !(await hasBegun(ctx, request, access))) throw new AppError('share_max_views_exceeded')
}

/**
 * Counts a direct request for `range` of `size` bytes as one view, and sets the unlock token, so
 * that this client's next requests are not counted. HEAD, a probe of the first byte, prefetching,
 * preview robots and resumed downloads use no view.
 *
 * @throws {AppError} share_max_views_exceeded
 * @throws {AppError} too_many_requests
 * @throws {AppError} share_token_required: for prefetching and robots if views are limited, as they
 *   would get all bytes uncounted
 */
export async function countVisit(
  ctx: Counting,
  request: FastifyRequest,
  reply: FastifyReply,
  viewer: Viewer,
  { range, size }: { range: ByteRange; size: number },
): Promise<void> {
  const { access, by } = viewer
  if (by !== 'public' || request.method === 'HEAD') return
  if (isAutomatic(request, viewer)) {
    if (access.viewsLimited) throw new AppError('share_token_required')
    return
  }
  if (isProbe(range, size)) return
  if (range.start > 0 && (!access.viewsLimited || (await hasBegun(ctx, request, access)))) return
  await consumeView(ctx, request, access)
  if (access.viewsLimited && range.start === 0) await ctx.limiters(downloads).consume(keyOf(request, access))
  setUnlockCookie(request, reply, access.linkId, newUnlock(ctx, unlockableLink(access), visitorOf(ctx, request, viewer)))
}

/**
 * Uses one view.
 *
 * @throws {AppError} share_max_views_exceeded
 * @throws {AppError} too_many_requests: one address uses many views of a share whose views are
 *   limited
 */
export async function consumeView(ctx: Counting, request: FastifyRequest, access: ShareAccess): Promise<void> {
  if (access.viewsLimited && access.viewsLeft) await consumeAttempt(ctx, viewsOfAddress, keyOf(request, access))
  if (!(await countView(ctx.db, access))) throw new AppError('share_max_views_exceeded')
}

async function hasBegun({ limiters }: Counting, request: FastifyRequest, access: ShareAccess): Promise<boolean> {
  return (await limiters(downloads).get(keyOf(request, access))) !== null
}

/** Returns whether a range is only requested to learn the size of a file. */
export function isProbe(range: ByteRange, size: number): boolean {
  return range.start === 0 && range.end === 0 && size > 1
}

/**
 * Returns whether no person requests the bytes: a browser prefetches them, or a preview robot that
 * hasn't opened the page.
 */
export function isAutomatic({ headers }: FastifyRequest, { by }: Pick<Viewer, 'by'>): boolean {
  const purpose = `${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''} ${headers['x-moz'] ?? ''}`
  return /\b(?:prefetch|preview)\b/i.test(purpose) || (by === 'public' && previewRobots.test(headers['user-agent'] ?? ''))
}

function keyOf({ ip }: FastifyRequest, { linkUid }: ShareAccess): string {
  return `${linkUid}:${addressKey(ip)}`
}

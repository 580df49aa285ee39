import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { addressKey } from '../http/networks.ts'
import { consumeAttempt } from '../http/rate-limit.ts'
import type { ByteRange } from '../storage/object-store.ts'
import type { Viewer } from './guard.ts'
import { countView, type ShareAccess } from './queries.ts'
import { newUnlock, setUnlockCookie } from './unlock.ts'

type Counting = Pick<Context, 'db' | 'limiters' | 'now' | 'sealer'>

/** Views that one address may use of one share whose views are limited. */
const viewsOfAddress = { name: 'share-views', attempts: 10, seconds: 600 }
/** Remembers who has begun a download of such a share, so that it can be resumed without cookies for a day. */
const downloads = { name: 'share-downloads', attempts: Number.MAX_SAFE_INTEGER, seconds: 86_400 }

/** Programs that fetch an address to show a preview of it where somebody posted it. */
const previewRobots =
  /\b(?:Slackbot|Slack-ImgProxy|Twitterbot|facebookexternalhit|Facebot|LinkedInBot|Discordbot|TelegramBot|WhatsApp|SkypeUriPreview|MicrosoftPreview|Mastodon|Signal|redditbot|Pinterestbot|Applebot|Googlebot|bingbot|Iframely|Embedly|vkShare|Viber|Zoombot|ms-office)\b/i

/** Throws `share_max_views_exceeded` for bytes of a share whose views are used up, unless the caller has begun the download before. */
export async function requireView(ctx: Counting, request: FastifyRequest, { door, by }: Viewer): Promise<void> {
  if (by !== 'open door' || door.viewsLeft) return
  const isPart = request.method === 'GET' && request.headers.range !== undefined
  if (!isPart || !(await hasBegun(ctx, request, door))) throw new AppError('share_max_views_exceeded')
}

/**
 * Counts a visitor who came straight for `range` of `size` bytes as one view, and gives them the token with which their further requests use none. HEAD,
 * a probe of the first byte, prefetching, preview robots and the rest of a download that was begun before use no view. Throws `share_max_views_exceeded`,
 * `too_many_requests`, and `share_token_required` for prefetching and robots where views are limited: they would get all bytes without a view.
 */
export async function countVisit(
  ctx: Counting,
  request: FastifyRequest,
  reply: FastifyReply,
  { door, by }: Viewer,
  { range, size }: { range: ByteRange; size: number },
): Promise<void> {
  if (by !== 'open door' || request.method === 'HEAD') return
  if (isAutomatic(request)) {
    if (door.viewsLimited) throw new AppError('share_token_required')
    return
  }
  if (range.start === 0 && range.end === 0 && size > 1) return
  if (range.start > 0 && (!door.viewsLimited || (await hasBegun(ctx, request, door)))) return
  await consumeView(ctx, request, door)
  if (door.viewsLimited && range.start === 0) await ctx.limiters(downloads).consume(keyOf(request, door))
  setUnlockCookie(request, reply, door.id, newUnlock(ctx, door))
}

/** Uses one view. Throws `share_max_views_exceeded`, and `too_many_requests` for an address that uses many views of a share that has few. */
export async function consumeView(ctx: Counting, request: FastifyRequest, door: ShareAccess): Promise<void> {
  if (door.viewsLimited && door.viewsLeft) await consumeAttempt(ctx, viewsOfAddress, keyOf(request, door))
  if (!(await countView(ctx.db, door.uid))) throw new AppError('share_max_views_exceeded')
}

async function hasBegun({ limiters }: Counting, request: FastifyRequest, door: ShareAccess): Promise<boolean> {
  return (await limiters(downloads).get(keyOf(request, door))) !== null
}

function isAutomatic({ headers }: FastifyRequest): boolean {
  const purpose = `${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''} ${headers['x-moz'] ?? ''}`
  return /\bprefetch\b/i.test(purpose) || previewRobots.test(headers['user-agent'] ?? '')
}

function keyOf({ ip }: FastifyRequest, { uid }: ShareAccess): string {
  return `${uid}:${addressKey(ip)}`
}

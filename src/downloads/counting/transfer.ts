import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordRanges, type SentRange, type Visit } from '../../activity/queries.ts'
import { foldDownloads } from '../../activity/recipients.ts'
import { type Recording, repeated, withShownAddresses } from '../../activity/recorder.ts'
import { networkName } from '../../activity/visitors.ts'
import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { deviceName } from '../../devices.ts'
import { AppError } from '../../errors.ts'
import { queueCleanUp } from '../../shares/service.ts'
import type { ByteRange } from '../../storage/object-store.ts'
import type { Viewer } from '../guard.ts'
import type { ShareAccess } from '../queries.ts'
import { visitorOf } from '../visitor.ts'
import { countVisit, isAutomatic, isProbe } from '../visits.ts'
import * as leases from './leases.ts'
import * as queries from './queries.ts'
import type { RunningDownloads } from './running.ts'

/** The context with what counts downloads. */
export type Counting = Context & Recording & { running: RunningDownloads }

/** What is downloaded. */
export type Item = Pick<SentRange, 'item' | 'isZip' | 'file' | 'size' | 'revision'>

/** A request for bytes, and who makes it. */
export interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
  viewer: Viewer
}

/** What a visitor receives with one response. */
type Received = Visit & Item & leases.Transfer

/** How a download counts: it is not limited, has a lease, or belongs to one that was counted. */
type Claim = 'unlimited' | 'lease' | 'counted'

const renewInterval = 30_000 // ms
/** Bytes that were sent but may not have arrived when a connection broke. */
const inFlightMax = 16_777_216

/** Returns who makes a request, for the activity. */
export function visitOf(ctx: Pick<Context, 'now' | 'sealer'>, request: FastifyRequest, viewer: Viewer): Visit {
  const { uid: shareUid, linkUid, linkId: link } = viewer.access
  const device = deviceName(request.headers['user-agent'])
  const names = { visitor: visitorOf(ctx, request, viewer), network: networkName(ctx, request, linkUid) }
  return { shareUid, linkUid, link, ...names, at: ctx.now(), device, address: request.ip ?? null }
}

/**
 * Begins a response with `range` of an item: reserves a download if they are limited, counts a visit
 * if needed, and records the bytes when the response ends. Owners, HEAD, preview robots and
 * prefetching count nothing. `shows` means that a page shows the file, which counts only under a
 * limit, because the visitor gets all bytes.
 *
 * @throws {AppError} share_max_downloads_exceeded
 * @throws {AppError} download_in_progress: others are using what is left; with `retryAfter` in seconds
 * @throws the errors of `countVisit`
 */
export async function beginTransfer(ctx: Counting, exchange: Exchange, item: Item, range: ByteRange, shows = false): Promise<void> {
  const { request, reply, viewer } = exchange
  const { access } = viewer
  const count = () => countVisit(ctx, request, reply, viewer, { range, size: item.size })
  if (viewer.by === 'owner' || request.method !== 'GET') return
  if (isProbe(range, item.size)) return count()
  if (isAutomatic(request, viewer)) {
    if (access.maxDownloads !== null) throw new AppError('share_token_required')
    return count()
  }
  const received = { id: randomUUID(), ...visitOf(ctx, request, viewer), ...item }
  const claim = await claimDownload(ctx, access, received, { range, isNamed: viewer.visitor !== undefined })
  try {
    await count()
  } catch (error) {
    if (claim === 'lease') await leases.releaseLease(ctx.db, access, received)
    throw error
  }
  if (reply.raw.destroyed) {
    if (claim === 'lease') await leases.releaseLease(ctx.db, access, received)
    return
  }
  ctx.running.add(access, reply.raw)
  if (!shows || claim !== 'unlimited') recordAtEnd(ctx, exchange, received, range, claim)
}

async function claimDownload(
  { db }: Counting,
  access: ShareAccess,
  received: Received,
  { range, isNamed }: { range: ByteRange; isNamed: boolean },
): Promise<Claim> {
  if (access.maxDownloads === null) return 'unlimited'
  const isCounted = async () => {
    const { uses, times, isRecent } = await queries.receivedBy(db, access, received)
    return uses > times || (isRecent && range.start > received.size - Math.min(inFlightMax, received.size / 2))
  }
  if (await isCounted()) return 'counted'
  if (await leases.reserveDownload(db, access, received, isNamed)) return 'lease'
  if (await isCounted()) return 'counted' // the visitor's previous response has been counted meanwhile
  const remaining = await leases.remainingDownloads(db, access)
  if (!remaining) throw new AppError('share_not_found')
  if (remaining.isUsed) throw new AppError('share_max_downloads_exceeded')
  throw new AppError('download_in_progress', { retryAfter: remaining.freeIn })
}

function recordAtEnd(ctx: Counting, { request, reply }: Exchange, received: Received, { start, end }: ByteRange, claim: Claim): void {
  const { raw } = reply
  const sentOf = byteCounter(request, raw, end + 1 - start)
  const access = { uid: received.shareUid, linkUid: received.linkUid }
  const renew = () =>
    ctx.recorder.run(async () => {
      if (claim === 'lease') await leases.renewLease(ctx.db, access, received)
      await queries.keepForVisitor(ctx.db, access, received.visitor, ctx.now())
    })
  const renewing = claim === 'unlimited' ? undefined : setInterval(renew, renewInterval)
  if (claim === 'counted') renew()
  raw.once('close', () => {
    clearInterval(renewing)
    const sent = sentOf()
    const isWhole = sent === end + 1 - start && hasBytes(raw)
    if (!isWhole) ctx.metrics.record({ kind: 'download', outcome: 'incomplete' })
    const range = { ...received, at: ctx.now(), start, end: start + sent, counts: claim === 'unlimited' }
    if (claim === 'unlimited') return isWhole || sent > 0 ? ctx.recorder.sent(range) : undefined
    ctx.recorder.run(async () => {
      if (isWhole || sent > 0) await settle(ctx, range, received)
      else if (claim === 'lease') await leases.releaseLease(ctx.db, access, received)
    })
  })
}

/** Returns a function that returns how many bytes of the body, of `length`, were sent so far. */
function byteCounter({ raw: { socket } }: FastifyRequest, raw: ServerResponse, length: number): () => number {
  const before = socket.bytesWritten ?? 0
  return () => {
    if (!hasBytes(raw)) return 0
    // A client may leave after the last byte, before the response is finished.
    return raw.writableFinished ? length : Math.max(0, Math.min((socket.bytesWritten ?? 0) - before - headBytes(raw), length))
  }
}

/** Returns whether a response has bytes of a file and not an error. */
function hasBytes({ statusCode }: ServerResponse): boolean {
  return statusCode === 200 || statusCode === 206
}

/** Returns about how many bytes the head of a response has. */
function headBytes(raw: ServerResponse): number {
  const fields = Object.entries(raw.getHeaders()).flatMap(([name, value]) => [value ?? ''].flat().map((one) => `${name}: ${one}\r\n`))
  return fields.join('').length + 'HTTP/1.1 200 OK\r\n\r\n'.length
}

/**
 * Records what was sent under a limit at once: counts a download that is used up, and keeps the
 * reservation of an interrupted one.
 */
async function settle(ctx: Counting, range: SentRange, transfer: leases.Transfer): Promise<void> {
  const settings = await readSettings(ctx)
  const access = { uid: range.shareUid, linkUid: range.linkUid }
  const isComplete = await repeated(() =>
    ctx.db.transaction().execute(async (tx) => {
      await leases.lockLinks(tx, access)
      const [recorded] = await recordRanges(tx, withShownAddresses([range], settings), settings['share.activity'])
      if (!recorded || recorded.id === null) return false
      if (await usesDownload(tx, recorded.id, range)) {
        await leases.commitDownload(tx, access, transfer)
        await queries.markUse(tx, recorded.id)
      } else if (recorded.complete) await leases.releaseLease(tx, access, transfer)
      else await leases.idleLease(tx, access, transfer)
      if (recorded.complete && settings['share.activity']) await foldDownloads(tx, [range.linkUid])
      return recorded.complete
    }),
  )
  if (!isComplete) return
  ctx.metrics.record({ kind: 'download', outcome: 'complete' })
  if (await queries.deleteUsedUp(ctx.db, access, range.visitor, ctx.now())) await queueCleanUp(ctx)
}

/** Ends a range, and returns whether it has used up a download that isn't counted yet. */
async function usesDownload(tx: Db, id: number, range: SentRange): Promise<boolean> {
  const isClosed = await queries.endRange(tx, id)
  if (isClosed === undefined) return false
  const { uses, times } = await queries.receivedBy(tx, { uid: range.shareUid, linkUid: range.linkUid }, range)
  return uses < times + (isClosed ? 0 : 1)
}

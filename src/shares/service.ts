import { readSettings } from '../config/service.ts'
import type { Settings } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { hashPassword } from '../crypto/passwords.ts'
import { hashToken, newLink, newToken } from '../crypto/tokens.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import type { NewShare, SharePage } from './contract.ts'
import { checkMaximum, defaultExpiration, parseExpiration } from './expiration.ts'
import { linkMaxLength, linkMinLength, linkPattern, reservedLinks } from './limits.ts'
import type { Right } from './owner.ts'
import { timeOf } from './present.ts'
import type { Share } from './queries.ts'
import * as queries from './queries.ts'

const linkTries = 10
const linkShape = new RegExp(linkPattern)

/**
 * Opens a share for uploads; visitors see it once it is completed. Without an owner the answer carries the token by which its maker goes on. Throws
 * `unauthenticated_shares_disabled`, `recipients_disabled`, `expiration_invalid`, `expiration_exceeds_maximum`, `share_id_invalid`, `share_id_taken`.
 */
export async function create(
  ctx: Pick<Context, 'db' | 'now' | 'queue'>,
  settings: Settings,
  ownerId: string | null,
  input: NewShare,
): Promise<{ share: Share; ownerToken?: string }> {
  if (!ownerId && !settings['share.allowUnauthenticatedShares']) throw new AppError('unauthenticated_shares_disabled')
  if (input.recipients && input.recipients.length > 0) throw new AppError('recipients_disabled')
  if (input.id !== undefined && reservedLinks.includes(input.id)) throw new AppError('share_id_invalid')
  const now = ctx.now()
  const expiresAt = expirationOf(input, settings, now)
  const ownerToken = ownerId ? undefined : newToken()
  const { password, maxViews } = input.security ?? {}
  const values = {
    ownerId,
    ownerTokenHash: ownerToken ? hashToken(ownerToken) : null,
    name: input.name?.trim() || null,
    description: input.description?.trim() || null,
    passwordHash: password ? await hashPassword(password) : null,
    maxViews: maxViews ?? null,
    expiresAt,
    createdAt: now,
    activeAt: now,
  }
  const links = input.id !== undefined ? [input.id] : Array.from({ length: linkTries }, () => newLink(settings['share.shareIdLength']))
  for (const id of links) {
    const share = await take(ctx, { ...values, id }, now)
    if (share) return { share, ...(ownerToken && { ownerToken }) }
  }
  throw new AppError('share_id_taken')
}

function expirationOf({ expiration }: NewShare, settings: Settings, now: Date): Date | null {
  const maximum = settings['share.maxExpiration']
  if (expiration === undefined) return defaultExpiration(settings['share.defaultExpiration'], maximum, now)
  const expires = parseExpiration(expiration, now)
  checkMaximum(expires, maximum, now)
  return expires
}

/** The link of an expired share is free at once, before the clean-up comes by. */
async function take(ctx: Pick<Context, 'db' | 'queue'>, share: Parameters<typeof queries.insertShare>[1], now: Date) {
  const { inserted, freed } = await ctx.db.transaction().execute(async (tx) => {
    const freed = await queries.removeExpired(tx, share.id, now)
    return { freed, inserted: await queries.insertShare(tx, share) }
  })
  if (freed) await cleanUpSoon(ctx)
  return inserted
}

/** Whether a link could be had now. */
export async function isLinkFree(ctx: Pick<Context, 'db' | 'now'>, id: string): Promise<boolean> {
  if (id.length < linkMinLength || id.length > linkMaxLength || !linkShape.test(id) || reservedLinks.includes(id)) return false
  return !(await queries.liveShare(ctx.db, id, ctx.now()))
}

/**
 * Opens a share to its visitors with all its files. Throws `share_already_completed`, `share_has_no_files`, and `upload_incomplete` with the ids of
 * `files` that have not arrived.
 */
export async function complete(ctx: Pick<Context, 'db' | 'env' | 'now' | 'queue'>, uid: string): Promise<Share> {
  const { 'share.zipCompressionLevel': level } = await readSettings(ctx)
  const share = await ctx.db.transaction().execute(async (tx) => {
    const locked = await queries.lockShare(tx, uid)
    if (!locked) throw new AppError('share_not_found')
    if (!locked.uploadOpen) throw new AppError('share_already_completed')
    const { count, unfinished } = await queries.uploadState(tx, locked.id)
    if (count === 0) throw new AppError('share_has_no_files')
    if (unfinished.length > 0) throw new AppError('upload_incomplete', { files: unfinished })
    await queries.publishFiles(tx, locked.id)
    await queries.closeUpload(tx, uid, ctx.now())
    return queries.raiseRevision(tx, uid, level > 0)
  })
  await prepareZip(ctx, share)
  return share
}

/** Deletes a share; its bytes follow within a minute. Throws `anonymous_share_not_deletable` for whoever made it without an account. */
export async function remove(ctx: Pick<Context, 'db' | 'queue'>, share: Share, right: Right): Promise<void> {
  if (right === 'anonymous creator') throw new AppError('anonymous_share_not_deletable')
  if (!(await queries.deleteShare(ctx.db, share.uid))) throw new AppError('share_not_found')
  await cleanUpSoon(ctx)
}

/** A share as its owner sees it: with files that visitors do not see yet. */
export async function ownerPage(db: Db, share: Share): Promise<SharePage> {
  const [files, creator] = await Promise.all([queries.arrivedFiles(db, share.id), queries.creatorOf(db, share.ownerId)])
  const { id, name, description, expiresAt, passwordHash } = share
  const size = files.reduce((sum, file) => sum + Number(file.size), 0)
  return { id, name, description, expiration: timeOf(expiresAt), files, creator, hasPassword: passwordHash !== null, size }
}

/** Hands in the making of the archive, where the share's revision wants one. After the commit. */
export async function prepareZip({ queue }: Pick<Context, 'queue'>, { id, uid, revision, zipState }: Share): Promise<void> {
  if (zipState === 'preparing') await queue.add('build-zip', { shareId: id, revision }, `zip-${uid}-${revision}`)
}

/** Has the bytes removed that deleted rows have left. After the commit. */
export async function cleanUpSoon({ queue }: Pick<Context, 'queue'>): Promise<void> {
  await queue.add('clean-up', {}, 'clean-up')
}

import type { Settings } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { hashPassword, verifyPassword } from '../crypto/passwords.ts'
import { newLink } from '../crypto/tokens.ts'
import { AppError } from '../errors.ts'
import { isUuid } from '../http/formats.ts'
import { consumeHash } from '../http/hash-attempts.ts'
import { addressKey } from '../http/networks.ts'
import { consumeAttempt, refundAttempt } from '../http/rate-limit.ts'
import { visibleText } from '../invisible-characters.ts'
import { checkMaximum, defaultExpiration, parseExpiration } from '../shares/expiration.ts'
import { type Page, rowRangeOf } from '../shares/lists/queries.ts'
import { type ReverseShare, receivedBytes, usableReverseShare } from '../shares/reverse/queries.ts'
import { queueCleanUp } from '../shares/service.ts'
import type { NewReverseShare, ReverseShareChanges } from './contract.ts'
import { tokenMaxLength, tokenMinLength, tokenPattern, unlimitedUses } from './limits.ts'
import * as queries from './queries.ts'

/** 139 bits of entropy in letters and digits. */
const randomLength = 24
const passwordAttempts = { name: 'reverse-share-password', attempts: 20, seconds: 300 }
/** Links that would hide calls of the API. */
const reservedTokens = ['isReverseShareTokenAvailable']
const tokenShape = new RegExp(tokenPattern)

/**
 * Creates a link that lets others send files to `ownerId`.
 * @throws {AppError} encryption_required: the sender's files would not be encrypted
 * @throws {AppError} expiration_invalid, reverse_share_token_taken
 * @throws {AppError} expiration_exceeds_maximum: with `max` (ISO 8601)
 * @throws {AppError} reverse_share_size_exceeds_maximum: with `max` in bytes
 */
export async function create(
  { db, now }: Pick<Context, 'db' | 'now'>,
  settings: Settings,
  ownerId: string,
  input: NewReverseShare,
): Promise<ReverseShare> {
  if (settings['share.encryption'] === 'always') throw new AppError('encryption_required')
  const maxSize = maxSizeOf(input, settings) ?? settings['share.maxSize']
  const { fields = {}, password } = input
  const row = {
    token: input.token ?? newLink(randomLength),
    ownerId,
    name: visibleText(input.name),
    passwordHash: password ? await hashPassword(password, 'share') : null,
    maxSize,
    maxTotalSize: bytesOrNull(input.maxTotalSize) ?? null,
    maxUses: storedUses(input.maxUseCount) ?? 1,
    sendEmailNotification: input.sendEmailNotification ?? false,
    simplified: input.simplified ?? false,
    publicAccess: input.publicAccess ?? true,
    enabled: input.enabled ?? true,
    askName: fields.name ?? 'off',
    askEmail: fields.email ?? 'off',
    askMessage: fields.message ?? 'off',
    allowedTypes: input.allowedTypes ?? [],
    expiresAt: expirationOf(input, settings, now()),
    createdAt: now(),
  }
  const created = reservedTokens.includes(row.token)
    ? undefined
    : await db.transaction().execute((tx) => queries.insertReverseShare(tx, row, now()))
  if (!created) throw new AppError('reverse_share_token_taken')
  return created
}

/**
 * Changes a link of `userId`. Absent fields stay unchanged. The shares received through it, and not
 * adopted, expire with it.
 * @throws {AppError} reverse_share_not_found: also if it is another user's
 * @throws {AppError} expiration_invalid
 * @throws {AppError} expiration_exceeds_maximum: with `max` (ISO 8601)
 * @throws {AppError} reverse_share_size_exceeds_maximum: with `max` in bytes
 */
export async function change(
  { db, now }: Pick<Context, 'db' | 'now'>,
  settings: Settings,
  { userId, id }: { userId: string; id: string },
  input: ReverseShareChanges,
): Promise<ReverseShare> {
  const values = await changedValues(input, settings, now())
  const changed = isUuid(id)
    ? await db.transaction().execute((tx) => queries.changeReverseShare(tx, { id, ownerId: userId, now: now() }, values))
    : undefined
  if (!changed) throw new AppError('reverse_share_not_found')
  return changed
}

async function changedValues(input: ReverseShareChanges, settings: Settings, now: Date): Promise<queries.ReverseShareValues> {
  const { name, shareExpiration, password, fields } = input
  return {
    name: name === undefined ? undefined : visibleText(name),
    expiresAt: shareExpiration === undefined ? undefined : expirationOf({ shareExpiration }, settings, now),
    enabled: input.enabled,
    maxSize: maxSizeOf(input, settings),
    maxTotalSize: bytesOrNull(input.maxTotalSize),
    maxUses: storedUses(input.maxUseCount),
    sendEmailNotification: input.sendEmailNotification,
    simplified: input.simplified,
    publicAccess: input.publicAccess,
    allowedTypes: input.allowedTypes,
    passwordHash: password ? await hashPassword(password, 'share') : password,
    askName: fields?.name,
    askEmail: fields?.email,
    askMessage: fields?.message,
  }
}

/** Returns the maximum size of a share in bytes; undefined if the input has none. */
function maxSizeOf({ maxShareSize }: ReverseShareChanges, settings: Settings): number | undefined {
  const max = settings['share.maxSize']
  if (Number(maxShareSize) > max) throw new AppError('reverse_share_size_exceeds_maximum', { max })
  return maxShareSize === undefined ? undefined : Number(maxShareSize)
}

function bytesOrNull(size: string | null | undefined): number | null | undefined {
  return typeof size === 'string' ? Number(size) : size
}

function storedUses(maxUseCount: number | null | undefined): number | undefined {
  return maxUseCount === null ? unlimitedUses : maxUseCount
}

function expirationOf({ shareExpiration }: NewReverseShare, settings: Settings, now: Date): Date | null {
  const maximum = settings['share.maxExpiration']
  if (shareExpiration === undefined) return defaultExpiration(settings['share.defaultExpiration'], maximum, now)
  const expires = parseExpiration(shareExpiration, now)
  checkMaximum(expires, maximum, now)
  return expires
}

interface ListOptions extends Pick<Page, 'page' | 'limit'> {
  /** The maximum number of shares of each link. */
  shares?: number
  /** The maximum number of files of each share. */
  files?: number
}

/**
 * Returns a user's links, newest first, with the shares received through each, and the number of
 * links on all pages.
 */
export async function list({ db, now }: Pick<Context, 'db' | 'now'>, ownerId: string, { shares: limit, files, ...page }: ListOptions) {
  const [links, count] = await Promise.all([
    queries.listReverseShares(db, ownerId, now(), page),
    queries.countReverseShares(db, ownerId, now()),
  ])
  const ids = links.map(({ id }) => id)
  const span = limit === undefined ? undefined : { limit, offset: 0 }
  const [totals, shares] =
    ids.length === 0
      ? [[], []]
      : await Promise.all([queries.receivedTotals(db, ids, now()), queries.receivedShares(db, ids, now(), { span, files })])
  const totalsOf = new Map(totals.map(({ reverseShareId, ...total }) => [reverseShareId, total]))
  const sharesByLink = Map.groupBy(shares, ({ reverseShareId }) => reverseShareId)
  return {
    links: links.map((reverse) => ({
      reverse,
      ...(totalsOf.get(reverse.id) ?? { shareCount: 0, receivedSize: 0 }),
      shares: sharesByLink.get(reverse.id) ?? [],
    })),
    count,
  }
}

/**
 * Returns the shares received through one of a user's links, newest first, and their number on all
 * pages.
 * @throws {AppError} reverse_share_not_found
 * @throws {AppError} forbidden: the link is another user's
 */
export async function listReceived(
  { db, now }: Pick<Context, 'db' | 'now'>,
  userId: string,
  id: string,
  { files, ...page }: Omit<ListOptions, 'shares'>,
) {
  const link = isUuid(id) ? await queries.reverseShareById(db, id) : undefined
  if (!link) throw new AppError('reverse_share_not_found')
  if (link.ownerId !== userId) throw new AppError('forbidden')
  const [[totals], shares] = await Promise.all([
    queries.receivedTotals(db, [id], now()),
    queries.receivedShares(db, [id], now(), { span: rowRangeOf(page), files }),
  ])
  return { shares, count: totals?.shareCount ?? 0 }
}

/** Whether an upload link is valid and available. */
export async function isTokenFree({ db, now }: Pick<Context, 'db' | 'now'>, token: string): Promise<boolean> {
  if (token.length < tokenMinLength || token.length > tokenMaxLength || !tokenShape.test(token) || reservedTokens.includes(token))
    return false
  return !(await queries.isTokenTaken(db, token, now()))
}

/**
 * Returns a usable link with its owner's name.
 * @throws {AppError} reverse_share_not_found: unknown, expired or used up
 * @throws {AppError} link_turned_off
 */
export async function find({ db, now }: Pick<Context, 'db' | 'now'>, token: string): Promise<ReverseShare & { username: string }> {
  const found = tokenShape.test(token) ? await usableReverseShare(db, token, now()) : undefined
  if (!found) throw new AppError('reverse_share_not_found')
  if (!found.enabled) throw new AppError('link_turned_off')
  return found
}

/**
 * Returns how many bytes a link can still receive.
 * @throws {AppError} reverse_share_full: with `max` in bytes
 */
export async function bytesLeft({ db }: Pick<Context, 'db'>, { id, maxTotalSize: max }: Pick<ReverseShare, 'id' | 'maxTotalSize'>) {
  if (max === null) return Number.POSITIVE_INFINITY
  const left = max - (await receivedBytes(db, id))
  if (left <= 0) throw new AppError('reverse_share_full', { max })
  return left
}

/**
 * Gives a link of `userId` a new token. The old one stops, also where it was imported from another
 * product.
 * @throws {AppError} reverse_share_not_found: also if it is another user's
 * @throws {AppError} reverse_share_token_taken
 */
export async function replace(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { userId, id }: { userId: string; id: string },
  token = newLink(randomLength),
): Promise<ReverseShare> {
  if (!isUuid(id)) throw new AppError('reverse_share_not_found')
  if (reservedTokens.includes(token)) throw new AppError('reverse_share_token_taken')
  return db.transaction().execute(async (tx) => {
    if (!(await queries.reserveToken(tx, token, now(), id))) throw new AppError('reverse_share_token_taken')
    const replaced = await queries.replaceToken(tx, { id, ownerId: userId, now: now() }, token)
    if (!replaced) throw new AppError('reverse_share_not_found')
    return replaced
  })
}

/**
 * Checks the password of a link.
 * @throws {AppError} wrong_password
 * @throws {AppError} too_many_requests: 20 wrong passwords from one IP address in five minutes
 */
export async function checkPassword(
  ctx: Pick<Context, 'limiters'>,
  address: string,
  { id, passwordHash }: ReverseShare,
  password: string,
): Promise<void> {
  if (passwordHash === null) return
  const attemptKey = `${id}:${addressKey(address)}`
  await consumeAttempt(ctx, passwordAttempts, attemptKey)
  await consumeHash(ctx, 'share', { address })
  if (!(await verifyPassword(password, passwordHash, 'share'))) throw new AppError('wrong_password')
  await refundAttempt(ctx, passwordAttempts, attemptKey)
}

/**
 * Deletes a link and all received shares that were not adopted. The user who deleted it can restore
 * it for 30 seconds with these shares, except those that were still being uploaded. Their bytes are
 * deleted within a minute after.
 * @throws {AppError} reverse_share_not_found
 * @throws {AppError} forbidden: the caller is neither the owner nor an administrator
 */
export async function remove(
  ctx: Pick<Context, 'db' | 'now' | 'queue'>,
  { userId, isAdmin }: { userId: string; isAdmin: boolean },
  id: string,
): Promise<void> {
  const found = isUuid(id) ? await queries.reverseShareById(ctx.db, id) : undefined
  if (!found) throw new AppError('reverse_share_not_found')
  if (found.ownerId !== userId && !isAdmin) throw new AppError('forbidden')
  const deletion = { userId, now: ctx.now() }
  const isDeleted = await ctx.db.transaction().execute((tx) => queries.markReverseShareDeleted(tx, id, deletion))
  if (!isDeleted) throw new AppError('reverse_share_not_found')
  await queueCleanUp(ctx)
}

/**
 * Restores a link that the user deleted in the last 30 seconds, with the shares that were deleted
 * with it.
 * @throws {AppError} reverse_share_not_found
 */
export async function undelete({ db, now }: Pick<Context, 'db' | 'now'>, userId: string, id: string): Promise<void> {
  const deletion = { userId, now: now() }
  const isRestored = isUuid(id) && (await db.transaction().execute((tx) => queries.restoreReverseShare(tx, id, deletion)))
  if (!isRestored) throw new AppError('reverse_share_not_found')
}

import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { hashPassword } from '../../crypto/passwords.ts'
import { newLink } from '../../crypto/tokens.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { refusedField } from '../../http/error-handler.ts'
import { visibleText } from '../../invisible-characters.ts'
import { checkChanges } from '../encryption.ts'
import { parseExpiration } from '../expiration.ts'
import { idAttempts, linksMax, reservedLinks } from '../limits.ts'
import { lockShare, type Share } from '../queries.ts'
import { canHaveRecipients } from '../recipients/recipients.ts'
import type { LinkChanges, NewLink } from './contract.ts'
import * as queries from './queries.ts'

type LinkContext = Pick<Context, 'db' | 'env' | 'now' | 'sealer'>

/**
 * Adds a link to a share.
 * @throws {AppError} share_not_found, share_id_invalid, share_id_taken, expiration_invalid
 * @throws {AppError} too_many_links: with `max`
 */
export async function addLink(
  ctx: LinkContext,
  share: Share,
  { id, ...rules }: Omit<NewLink, 'recipient' | 'verifyEmail'>,
): Promise<queries.FurtherLink> {
  checkChanges(share, rules)
  const inherited = share.encrypted ? { passwordHash: share.passwordHash } : {} // the password is part of the key
  const values = { ...(await changedRules(ctx, rules)), ...inherited, createdAt: ctx.now() }
  return withFreeId(ctx, id, (tx, id) => insertFurther(tx, share.uid, { ...values, id }))
}

type NewRow = Omit<Parameters<typeof queries.insertLink>[1], 'shareId'>

async function insertFurther(tx: Db, shareUid: string, row: NewRow): Promise<queries.FurtherLink | undefined> {
  const share = await lockExisting(tx, shareUid)
  if ((await queries.countFurtherLinks(tx, share.id)) >= linksMax - 1) throw new AppError('too_many_links', { max: linksMax })
  return queries.insertLink(tx, { ...row, shareId: share.id })
}

/**
 * Changes a further link.
 * @throws {AppError} link_not_found, expiration_invalid, recipients_disabled
 */
export async function changeLink(
  ctx: LinkContext,
  share: Share,
  { uid, recipientId }: queries.FurtherLink,
  changes: LinkChanges,
): Promise<queries.FurtherLink> {
  checkChanges(share, changes)
  if (changes.verifyEmail !== undefined && recipientId === null) throw needsRecipient()
  if (changes.verifyEmail && !canHaveRecipients(await readSettings(ctx))) throw new AppError('recipients_disabled')
  const changed = await queries.changeLink(ctx.db, uid, await changedRules(ctx, changes))
  if (!changed) throw new AppError('link_not_found')
  return changed
}

/** Returns the error for a link that asks for a code but belongs to no recipient. */
export function needsRecipient(): AppError {
  return refusedField('verifyEmail', 'needs a recipient', 'dependentRequired')
}

/**
 * Gives a further link a new id. The old one stops.
 * @throws {AppError} link_not_found, share_id_invalid, share_id_taken
 */
export async function replaceLink(ctx: LinkContext, share: Share, link: queries.FurtherLink, id: string | undefined) {
  return withFreeId(ctx, id, async (tx, id) => {
    await lockExisting(tx, share.uid)
    if (!(await queries.furtherLink(tx, share.id, link.id))) throw new AppError('link_not_found')
    return queries.renameLink(tx, link, id)
  })
}

/**
 * Deletes a further link.
 * @throws {AppError} share_not_found
 */
export async function deleteLink({ db }: Pick<Context, 'db'>, share: Share, link: queries.FurtherLink): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockExisting(tx, share.uid)
    await queries.deleteLink(tx, link)
  })
}

/**
 * Turns the first link of a share off, and adds a link with its rules and what is used of them.
 * @throws {AppError} share_not_found, share_id_invalid, share_id_taken
 * @throws {AppError} too_many_links: with `max`
 */
export async function replaceFirstLink(ctx: LinkContext, { uid }: Share, id: string | undefined): Promise<queries.FurtherLink> {
  return withFreeId(ctx, id, async (tx, id) => {
    const share = await lockExisting(tx, uid)
    const { linkLabel: label, passwordHash, maxViews, views, maxDownloads, downloads } = share
    const rules = { label, passwordHash, passwordVersion: share.passwordVersion, maxViews, views, maxDownloads, downloads }
    const downloadLeases = queries.leasesOfFirst(uid) // what runs now uses up the new link
    const link = await insertFurther(tx, uid, { ...rules, downloadLeases, id, createdAt: ctx.now() })
    if (link) await queries.enableFirstLink(tx, uid, false)
    return link
  })
}

/**
 * Runs `work` in a transaction with this id, or with random ones until one is free. `work` returns
 * undefined if its id is taken.
 * @throws {AppError} share_id_invalid, share_id_taken
 */
export async function withFreeId<T>(
  ctx: Pick<LinkContext, 'db' | 'env'>,
  id: string | undefined,
  work: (tx: Db, id: string) => Promise<T | undefined>,
): Promise<T> {
  if (id !== undefined && reservedLinks.includes(id)) throw new AppError('share_id_invalid')
  const length = (await readSettings(ctx))['share.shareIdLength']
  const ids = id === undefined ? Array.from({ length: idAttempts }, () => newLink(length)) : [id]
  for (const id of ids) {
    const result = await ctx.db.transaction().execute((tx) => work(tx, id))
    if (result !== undefined) return result
  }
  throw new AppError('share_id_taken')
}

/**
 * Locks a share until the transaction ends, and returns it.
 * @throws {AppError} share_not_found
 */
export async function lockExisting(tx: Db, uid: string): Promise<Share> {
  const share = await lockShare(tx, uid)
  if (!share) throw new AppError('share_not_found')
  return share
}

/**
 * Returns the values of the rules that are given.
 * @throws {AppError} expiration_invalid
 */
export async function changedRules(
  { now }: Pick<Context, 'now'>,
  { label, password, expiration, ...rules }: LinkChanges,
): Promise<queries.LinkChange> {
  return {
    ...rules,
    ...(label !== undefined && { label: visibleText(label) }),
    ...(expiration !== undefined && { expiresAt: parseExpiration(expiration, now()) }),
    ...(password !== undefined && { passwordHash: password === null ? null : await hashPassword(password, 'share') }),
  }
}

import { readSettings } from '../config/service.ts'
import { zipNames } from '../downloads/zip/names.ts'
import type { Env } from '../env.ts'
import { StartError } from '../errors.ts'
import { nameKey } from '../users/queries.ts'
import * as queries from './queries.ts'
import { type ExportContext, exportShare, json, type Tally } from './share.ts'
import type { Target } from './target.ts'

/** The version of the layout in docs/export.md. */
const version = 1

/**
 * Exports the data of one user, or of all users, with shares that have no owner and the settings.
 * Contains no secrets and no hashes of passwords or tokens.
 *
 * @throws {StartError} there is no such user
 */
export async function exportData(ctx: ExportContext & { env: Env }, target: Target, username: string | null): Promise<Tally> {
  const users = await queries.listUsers(ctx.db, username === null ? null : nameKey(username))
  if (username !== null && users.length === 0) throw new StartError(`There is no user ${username}.`)
  const tally: Tally = { files: 0, bytes: 0, existing: 0, problems: [] }
  const folders = zipNames(users.map((user) => user.username.replaceAll('/', '_')))
  for (const [index, user] of users.entries()) await exportUser(ctx, target, `users/${folders[index]}`, user, tally)
  if (username === null) {
    await exportShares(ctx, target, 'without-account', 'noOwner', tally)
    await target.writeText('settings.json', json(await readSettings(ctx)), ctx.now())
  }
  await target.writeText('export.json', json({ format: 'razorbill', version, exportedAt: ctx.now(), user: username }), ctx.now())
  await target.finish()
  return tally
}

async function exportUser(ctx: ExportContext, target: Target, folder: string, user: queries.ExportedUser, tally: Tally): Promise<void> {
  const { totpVerified, ...row } = user
  const account = { ...row, hasAuthenticator: totpVerified, ...(await queries.accountOf(ctx.db, user.id)) }
  await target.writeText(`${folder}/user.json`, json(account), user.createdAt)
  const reverseShares = await queries.reverseSharesOf(ctx.db, user.id)
  await target.writeText(`${folder}/reverse-shares.json`, json(reverseShares), user.createdAt)
  await exportShares(ctx, target, `${folder}/shares`, { ownerId: user.id }, tally)
  await exportShares(ctx, target, `${folder}/received`, { receiverId: user.id }, tally)
}

async function exportShares(
  ctx: ExportContext,
  target: Target,
  folder: string,
  selection: queries.ShareSelection,
  tally: Tally,
): Promise<void> {
  const shares = await queries.sharesOf(ctx.db, selection)
  const names = zipNames(shares.map(({ link }) => link))
  for (const [index, share] of shares.entries()) await exportShare(ctx, target, `${folder}/${names[index]}`, share, tally)
}

import { pipeline } from 'node:stream/promises'
import { changeSettings } from '../../config/changes.ts'
import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { insertOldLinks } from '../../downloads/old-links/queries.ts'
import { insertLink } from '../../oauth/queries.ts'
import * as edits from '../../shares/editing/queries.ts'
import { bumpRevision, closeUpload, lockShare } from '../../shares/queries.ts'
import { addRecipients } from '../../shares/recipients/queries.ts'
import { prepareZip } from '../../shares/service.ts'
import { markStoredWhole } from '../../uploads/complete.ts'
import { recordActivity } from '../../uploads/queries.ts'
import { CopyCheck } from './copy-check.ts'
import type { Kind, Note, Plan, PlannedFile, PlannedShare } from './plan.ts'
import * as queries from './queries.ts'

/**
 * Files to copy in parallel: a small file spends most of its time waiting for the disk or the
 * bucket.
 */
const concurrency = 6

type ImportContext = Pick<Context, 'db' | 'env' | 'log' | 'now' | 'queue' | 'sealer' | 'storage'>

export interface Progress {
  /** Called after each share. */
  share(done: number, total: number): void
  /** Called with the number of newly copied bytes. */
  bytes(count: number): void
}

/**
 * Applies a plan, one item at a time. After an interruption, a new plan contains the remaining
 * items. Returns the items that could not be imported, because they were created here in the
 * meantime or their bytes are damaged.
 */
export async function applyPlan(ctx: ImportContext, plan: Plan, progress: Progress): Promise<Note[]> {
  const conflicts: Note[] = []
  const report = (kind: Kind, name: string, why = 'was created here in the meantime') => conflicts.push({ kind, name, why })
  for (const user of plan.users) if (!(await queries.insertUser(ctx.db, user))) report('accounts', user.username)
  for (const link of plan.links) if (!(await insertLink(ctx.db, link))) report('sign-ins elsewhere', link.username)
  for (const { row, oldLinks } of plan.reverseShares) {
    if (!(await queries.insertReverseShare(ctx.db, row))) report('reverse shares', row.token)
    else await insertOldLinks(ctx.db, oldLinks, { reverseShareId: String(row.id) })
  }
  for (const [index, share] of plan.shares.entries()) {
    await importShare(ctx, share, progress, (why) => report('shares', share.row.id, why))
    progress.share(index + 1, plan.shares.length)
  }
  if (plan.settings.length > 0) await changeSettings(ctx, plan.settings)
  return conflicts
}

/** Visitors can see the share once all its files are in the store. */
async function importShare(
  ctx: ImportContext,
  { row, recipients, files, oldLinks }: PlannedShare,
  progress: Progress,
  report: (why?: string) => void,
) {
  const isInserted = await ctx.db.transaction().execute(async (tx) => {
    const share = await queries.insertShare(tx, { ...row, activeAt: ctx.now() })
    if (share?.uid !== row.uid || share.completedAt) return false
    await addRecipients(tx, row.id, recipients, row.createdAt)
    await queries.markNotified(tx, row.id, row.createdAt)
    await insertOldLinks(tx, oldLinks, { shareId: row.id })
    return true
  })
  if (!isInserted) return report()
  const queue = files.values()
  const copyNext = async () => {
    for (const file of queue) {
      const problem = await importFile(ctx, file, progress)
      if (problem) report(`${JSON.stringify(file.name)} is skipped: ${problem}`)
      await recordActivity(ctx.db, row.uid, ctx.now())
    }
  }
  await Promise.all(Array.from({ length: concurrency }, copyNext))
  await publish(ctx, row.uid)
}

/**
 * Copies a file into the store, unless an earlier run has. Returns why it can't be imported, or
 * null. A file whose bytes are not those that the product stored is not kept.
 */
async function importFile(ctx: ImportContext, { found, sha1, oldLinks, ...row }: PlannedFile, progress: Progress): Promise<string | null> {
  const stored = await queries.insertFile(ctx.db, row)
  if (stored?.shareId !== row.shareId) return 'another file here has its id'
  if (stored.completedAt) return null
  const check = new CopyCheck({ size: found.size, sha1 }, (bytes) => progress.bytes(bytes))
  const source = await found.open()
  const copied = await Promise.allSettled([pipeline(source, check), ctx.storage.write(row.objectKey, check, found.size)])
  if (check.problem) {
    await queries.deleteFile(ctx.db, row.id)
    return check.problem
  }
  for (const result of copied) if (result.status === 'rejected') throw result.reason
  await markStoredWhole(ctx, row, { size: check.bytes, crc32: check.crc32 })
  await insertOldLinks(ctx.db, oldLinks, { shareId: row.shareId, fileId: row.id })
  return null
}

async function publish(ctx: ImportContext, uid: string): Promise<void> {
  const { 'share.zipCompressionLevel': level } = await readSettings(ctx)
  const share = await ctx.db.transaction().execute(async (tx) => {
    const locked = await lockShare(tx, uid)
    if (!locked || locked.completedAt) return null
    await edits.publishChanges(tx, locked.id)
    await closeUpload(tx, uid, ctx.now())
    return bumpRevision(tx, uid, { zip: level > 0, now: ctx.now() })
  })
  if (share) await prepareZip(ctx, share)
}

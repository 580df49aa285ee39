import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { changeSettings } from '../config/changes.ts'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { insertLink } from '../oauth/queries.ts'
import * as edits from '../shares/editing/queries.ts'
import { bumpRevision, closeUpload, lockShare } from '../shares/queries.ts'
import { addRecipients } from '../shares/recipients/queries.ts'
import { prepareZip } from '../shares/service.ts'
import { markStoredWhole } from '../uploads/complete.ts'
import { Meter } from '../uploads/form/meter.ts'
import { recordActivity } from '../uploads/queries.ts'
import type { Kind, Note, Plan, PlannedFile, PlannedShare } from './plan.ts'
import * as queries from './queries.ts'

/** Files at once: a small one waits for the disk, or for the bucket, most of its time. */
const lanes = 6

type Importing = Pick<Context, 'db' | 'env' | 'log' | 'now' | 'queue' | 'sealer' | 'storage'>

export interface Progress {
  /** A share is complete: so many of all. */
  share(done: number, all: number): void
  bytes(count: number): void
}

/**
 * Does what a plan says, each thing as a whole: whatever ends the process, a new plan has what is left. Answers what could not be taken after all, because
 * somebody here was faster.
 */
export async function applyPlan(ctx: Importing, plan: Plan, progress: Progress): Promise<Note[]> {
  const late: Note[] = []
  const tell = (kind: Kind, name: string, why = 'was made here meanwhile') => late.push({ kind, name, why })
  for (const user of plan.users) if (!(await queries.insertUser(ctx.db, user))) tell('accounts', user.username)
  for (const link of plan.links) if (!(await insertLink(ctx.db, link))) tell('sign-ins elsewhere', link.username)
  for (const row of plan.reverseShares) if (!(await queries.insertReverseShare(ctx.db, row))) tell('reverse shares', row.token)
  for (const [index, share] of plan.shares.entries()) {
    await takeShare(ctx, share, progress, (why) => tell('shares', share.row.id, why))
    progress.share(index + 1, plan.shares.length)
  }
  if (plan.settings.length > 0) await changeSettings(ctx, plan.settings, '')
  return late
}

/** Visitors see the share when the last of its files is in the store. */
async function takeShare(ctx: Importing, { row, recipients, files }: PlannedShare, progress: Progress, tell: (why?: string) => void) {
  const made = await ctx.db.transaction().execute(async (tx) => {
    const made = await queries.insertShare(tx, { ...row, activeAt: ctx.now() })
    if (made?.uid !== row.uid || made.completedAt) return null
    await addRecipients(tx, row.id, recipients, row.createdAt)
    await queries.markNotified(tx, row.id, row.createdAt)
    return made
  })
  if (!made) return tell()
  const waiting = files.values()
  const lane = async () => {
    for (const file of waiting) {
      if (!(await takeFile(ctx, file, progress))) tell(`${JSON.stringify(file.name)} is left out: another file here has its id`)
      await recordActivity(ctx.db, row.uid, ctx.now())
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  await open(ctx, row.uid)
}

/** Streams a file into the store, unless an earlier run has. False when its id is another file's. */
async function takeFile(ctx: Importing, { path, size, ...row }: PlannedFile, progress: Progress): Promise<boolean> {
  const known = await queries.insertFile(ctx.db, { ...row, size })
  if (known?.shareId !== row.shareId) return false
  if (known.completedAt) return true
  const meter = new Meter(async (bytes) => progress.bytes(bytes))
  await Promise.all([pipeline(createReadStream(path), meter), ctx.storage.write(row.objectKey, meter, size)])
  await markStoredWhole(ctx, row, { size: meter.bytes, crc32: meter.crc32 })
  return true
}

async function open(ctx: Importing, uid: string): Promise<void> {
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

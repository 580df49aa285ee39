import { readSettings } from '../src/config/service.ts'
import type { Context } from '../src/context.ts'
import { deleteUsedUpShares } from '../src/downloads/counting/queries.ts'
import { deleteExpiredZipLeases, waitingZips } from '../src/downloads/zip/queries.ts'
import { enqueueWrittenMails } from '../src/mail/service.ts'
import { graceOf } from '../src/shares/deletion/grace.ts'
import { abandonedAfter } from '../src/shares/limits.ts'
import { writeFetchedByAll, writeNotices } from '../src/shares/reminders/download-notices.ts'
import { writeReminders } from '../src/shares/reminders/reminders.ts'
import { writeReceivedMails } from '../src/shares/reverse/received-shares.ts'
import { prepareZip } from '../src/shares/service.ts'
import { enqueueChecksums } from './checksum-file.ts'
import {
  deleteAbandonedFiles,
  deleteAbandonedShares,
  deleteEndedSessions,
  deleteExpiredAttempts,
  deleteExpiredReverseShares,
  deleteExpiredShares,
  deleteOldRecords,
  deleteOldTokens,
  deleteRecipientActivity,
} from './clean-up-queries.ts'
import { removeDeletedObjects } from './deleted-objects.ts'
import { sweepPreviews } from './make-previews.ts'
import { deleteOutdatedMails, deleteSentMails, enqueueMails, failInterruptedMails } from './send-mail.ts'

type Tools = Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'storage' | 'queue' | 'log' | 'now' | 'metrics'>

const HOUR = 3_600_000
/** Longer than the row of an abandoned upload exists, so that its bytes are no longer needed. */
const TEMPORARY_AGE = 2 * abandonedAfter
const BATCH = 500

/**
 * Deletes expired data in batches and adds lost jobs again. A failed step does not stop the others.
 * Safe to run twice and on two workers.
 */
export async function cleanUp(ctx: Tools, _payload: unknown, stopping: AbortSignal): Promise<void> {
  const now = ctx.now()
  const before = (age: number) => new Date(now.getTime() - age)
  const steps: [string, () => Promise<unknown>][] = [
    ['expired shares', () => deleteExpired()],
    ['expired reverse shares', () => batches(() => deleteExpiredReverseShares(ctx.db, now, BATCH))],
    ['used-up shares', () => deleteUsedUpShares(ctx.db, { now, before: before(HOUR) })],
    ['old activity', () => deleteOldActivity()],
    ['abandoned shares', () => batches(() => deleteAbandonedShares(ctx.db, before(abandonedAfter), BATCH))],
    ['abandoned files', () => batches(() => deleteAbandonedFiles(ctx.db, before(abandonedAfter), BATCH))],
    ['expired zip leases', () => deleteExpiredZipLeases(ctx.db, now)],
    ['deleted objects', () => batches(() => removeDeletedObjects(ctx, BATCH))],
    ['ended sessions', () => batches(() => deleteEndedSessions(ctx.db, now, BATCH))],
    // Kept an hour longer, so that a late second factor gets the error token_expired.
    ['old login tokens', () => batches(() => deleteOldTokens(ctx.db, 'loginToken', before(HOUR), BATCH))],
    ['old password links', () => batches(() => deleteOldTokens(ctx.db, 'passwordToken', now, BATCH))],
    ['old email links', () => batches(() => deleteOldTokens(ctx.db, 'emailToken', now, BATCH))],
    ['old codes', () => batches(() => deleteOldTokens(ctx.db, 'emailCode', now, BATCH))],
    ['old challenges', () => batches(() => deleteOldTokens(ctx.db, 'passkeyChallenge', now, BATCH))],
    ['old attempts', () => batches(() => deleteExpiredAttempts(ctx.db, now, BATCH))],
    ['waiting checksums', () => enqueueChecksums(ctx, BATCH)],
    ['waiting zips', () => enqueueZips(ctx)],
    ['waiting previews', () => batches(() => sweepPreviews(ctx, BATCH))],
    ['received shares', () => batches(() => enqueueReceivedMails(ctx, BATCH))],
    ['reminders', () => batches(() => enqueueReminders(ctx, BATCH))],
    ['download notices', () => batches(async () => (await enqueueSenderMails(ctx, writeNotices, BATCH)).shares)],
    ['outdated emails', () => batches(() => deleteOutdatedMails(ctx, BATCH))],
    ['notices of complete shares', () => batches(async () => (await enqueueSenderMails(ctx, writeFetchedByAll, BATCH)).shares)],
    ['waiting emails', () => batches(() => enqueueMails(ctx, BATCH))],
    ['interrupted emails', () => failInterruptedMails(ctx)],
    ['old emails', () => batches(() => deleteSentMails(ctx, BATCH))],
    ['temporary files', async () => ctx.storage.sweepTemporary?.(TEMPORARY_AGE)],
  ]
  const failures: unknown[] = []
  for (const [name, step] of steps) {
    stopping.throwIfAborted()
    await step().catch((err) => {
      ctx.log.error({ err, step: name }, 'clean-up step failed')
      failures.push(err)
    })
  }
  if (failures.length > 0) throw new AggregateError(failures, 'clean-up failed in part')

  async function deleteExpired(): Promise<void> {
    const grace = await graceOf({ ...ctx, now: () => now })
    await batches(() => deleteExpiredShares(ctx.db, grace, BATCH))
  }

  /** Deletes activity and downloads that were recorded longer ago than the setting allows. */
  async function deleteOldActivity(): Promise<void> {
    const { 'share.activityDays': days, 'share.activity': isOn } = await readSettings(ctx)
    for (const table of ['activity', 'download'] as const)
      await batches(() => deleteOldRecords(ctx.db, table, before(days * 24 * HOUR), BATCH))
    if (isOn) return
    await batches(() => deleteOldRecords(ctx.db, 'activity', now, BATCH))
    await batches(() => deleteRecipientActivity(ctx.db, BATCH))
  }

  async function batches(next: () => Promise<number>): Promise<void> {
    while (!stopping.aborted && (await next()) === BATCH);
  }
}

/**
 * Queues emails about received shares, at most one per interval and reverse share. Returns their
 * number.
 */
async function enqueueReceivedMails(ctx: Tools, limit: number): Promise<number> {
  const settings = await readSettings(ctx)
  const mails = await ctx.db.transaction().execute((db) => writeReceivedMails({ ...ctx, db }, settings, { limit }))
  await enqueueWrittenMails(ctx, mails)
  return mails.length
}

/** Queues and counts reminders of up to `limit` shares. Returns the number of shares. */
async function enqueueReminders(ctx: Tools, limit: number): Promise<number> {
  const { shares, mails } = await enqueueSenderMails(ctx, writeReminders, limit)
  if (mails.length > 0) ctx.metrics.record({ kind: 'reminders', count: mails.length })
  return shares
}

/** Queues emails that `write` stores about up to `limit` shares. */
async function enqueueSenderMails(ctx: Tools, write: typeof writeReminders, limit: number): ReturnType<typeof writeReminders> {
  const settings = await readSettings(ctx)
  const written = await ctx.db.transaction().execute((db) => write({ ...ctx, db }, settings, limit))
  await enqueueWrittenMails(ctx, written.mails)
  return written
}

/** Adds a job for every zip that waits. The queue ignores jobs that it already has. */
async function enqueueZips(ctx: Tools): Promise<void> {
  let after: string | undefined = '00000000-0000-0000-0000-000000000000'
  while (after !== undefined) {
    const shares: Awaited<ReturnType<typeof waitingZips>> = await waitingZips(ctx.db, after, BATCH)
    for (const share of shares) await prepareZip(ctx, share)
    after = shares.length < BATCH ? undefined : shares.at(-1)?.uid
  }
}

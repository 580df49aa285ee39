import { readSettings } from '../src/config/service.ts'
import type { Context } from '../src/context.ts'
import { deleteExpiredZipLeases, waitingZips } from '../src/downloads/zip/queries.ts'
import { enqueueWrittenMails } from '../src/mail/service.ts'
import { abandonedAfter } from '../src/shares/limits.ts'
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
  deleteOldTokens,
} from './clean-up-queries.ts'
import { removeDeletedObjects } from './deleted-objects.ts'
import { deleteSentMails, enqueueMails, failInterruptedMails } from './send-mail.ts'

type Tools = Pick<Context, 'db' | 'env' | 'sealer' | 'storage' | 'queue' | 'log' | 'now'>

const HOUR = 3_600_000
/** Longer than an upload can be abandoned without its row being deleted: then nobody can want its bytes any more. */
const TEMPORARY_AFTER = 2 * abandonedAfter
const BATCH = 500

/** Removes what is over, in batches, and hands in again what has waited. A step that fails does not stop the others. Safe to run twice and on two workers. */
export async function cleanUp(ctx: Tools, _payload: unknown, stopping: AbortSignal): Promise<void> {
  const now = ctx.now()
  const before = (age: number) => new Date(now.getTime() - age)
  const steps: [string, () => Promise<unknown>][] = [
    ['expired shares', () => batches(() => deleteExpiredShares(ctx.db, now, BATCH))],
    ['expired reverse shares', () => batches(() => deleteExpiredReverseShares(ctx.db, now, BATCH))],
    ['abandoned shares', () => batches(() => deleteAbandonedShares(ctx.db, before(abandonedAfter), BATCH))],
    ['abandoned files', () => batches(() => deleteAbandonedFiles(ctx.db, before(abandonedAfter), BATCH))],
    ['lost zips', () => deleteExpiredZipLeases(ctx.db, now)],
    ['deleted objects', () => batches(() => removeDeletedObjects(ctx, BATCH))],
    ['ended sessions', () => batches(() => deleteEndedSessions(ctx.db, now, BATCH))],
    // An hour longer, in which a late second factor is told that it was late.
    ['old login tokens', () => batches(() => deleteOldTokens(ctx.db, 'loginToken', before(HOUR), BATCH))],
    ['old password links', () => batches(() => deleteOldTokens(ctx.db, 'passwordToken', now, BATCH))],
    ['old challenges', () => batches(() => deleteOldTokens(ctx.db, 'passkeyChallenge', now, BATCH))],
    ['old tries', () => batches(() => deleteExpiredAttempts(ctx.db, now, BATCH))],
    ['waiting checksums', () => enqueueChecksums(ctx, BATCH)],
    ['waiting zips', () => handInZips(ctx)],
    ['arrivals', () => batches(() => writeArrivals(ctx, BATCH))],
    ['waiting e-mails', () => batches(() => enqueueMails(ctx, BATCH))],
    ['interrupted e-mails', () => failInterruptedMails(ctx)],
    ['old e-mails', () => batches(() => deleteSentMails(ctx, BATCH))],
    ['temporary files', async () => ctx.storage.sweepTemporary?.(TEMPORARY_AFTER)],
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

  async function batches(next: () => Promise<number>): Promise<void> {
    while (!stopping.aborted && (await next()) === BATCH);
  }
}

/** Writes the e-mails about what has come through reverse shares, where the last one is long enough ago; answers how many. */
async function writeArrivals(ctx: Tools, limit: number): Promise<number> {
  const settings = await readSettings(ctx)
  const mails = await ctx.db.transaction().execute((db) => writeReceivedMails({ ...ctx, db }, settings, { limit }))
  await enqueueWrittenMails(ctx, mails)
  return mails.length
}

/** Every zip that waits: the queue itself leaves out those that it has. */
async function handInZips(ctx: Tools): Promise<void> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const shares = await waitingZips(ctx.db, after, BATCH)
    for (const share of shares) await prepareZip(ctx, share)
    if (shares.length < BATCH) return
    after = shares.at(-1)!.uid
  }
}

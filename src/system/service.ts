import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { mailState, requeueMail } from '../mail/queries.ts'
import { enqueueWrittenMails } from '../mail/service.ts'
import { withTimeout } from '../process/in-time.ts'
import { type JobName, type Jobs, jobNames } from '../queue/jobs.ts'
import { prepareZip, queueCleanUp } from '../shares/service.ts'
import type { System } from './contract.ts'
import { recentUsage, requestZipAgain } from './queries.ts'

type Tools = Pick<Context, 'db' | 'env' | 'checkDatabase' | 'queue' | 'storage' | 'now'>

const CHECK_TIMEOUT = 3_000 // ms

/** Returns the state of the installation in at most 3 s, even when a dependency is down. */
export async function systemState(ctx: Tools): Promise<System> {
  const [database, queue, storage, free, jobs, counts, mails] = await Promise.all([
    stateOf(ctx.checkDatabase()),
    stateOf(ctx.queue.check()),
    stateOf(ctx.storage.check()),
    withTimeout(ctx.storage.room?.() ?? Promise.resolve(null), CHECK_TIMEOUT).catch(() => null),
    withTimeout(ctx.queue.overview(), CHECK_TIMEOUT).catch(() => null),
    recentUsage(ctx.db),
    mailState(ctx.db),
  ])
  const report = ctx.storage.report?.()
  const { files, zips, uploading, users, shares, fileCount, openUploads } = counts
  return {
    dependencies: { database, queue, storage },
    engines: {
      database: ctx.env.databaseUrl ? 'external' : 'embedded',
      queue: ctx.env.redisUrl ? 'redis' : 'postgres',
      storage: ctx.env.s3 ? 's3' : 'disk',
    },
    storageWarnings: report?.warnings ?? [],
    direct: report?.direct ?? null,
    storage: { files, zips, uploading, free },
    counts: { users, shares, files: fileCount, openUploads },
    mails,
    jobs: jobs && { counts: jobs.counts, failed: jobs.failed.map((job) => ({ ...job, failedAt: job.failedAt.toISOString() })) },
  }
}

async function stateOf(check: Promise<unknown>): Promise<System['dependencies']['queue']> {
  try {
    await withTimeout(check, CHECK_TIMEOUT)
    return { state: 'up', reason: null }
  } catch (error) {
    return { state: 'down', reason: (error as Error).message }
  }
}

/**
 * Retries a failed job if its row still requires it, and removes it from the failed jobs.
 * @throws {AppError} job_not_found: there is no such failed job
 */
export async function retryJob(ctx: Tools, name: string, id: string): Promise<void> {
  if (!isJobName(name)) throw new AppError('job_not_found')
  const payload = await ctx.queue.failedPayload(name, id)
  if (!payload) throw new AppError('job_not_found')
  await enqueueAgain(ctx, name, payload)
  await ctx.queue.removeFailed(name, id)
}

/** Updates the row before it adds a job, because a job is only a hint. */
async function enqueueAgain(ctx: Tools, name: JobName, payload: Jobs[JobName]): Promise<void> {
  if (name === 'send-mail') {
    const { mailId } = payload as Jobs['send-mail']
    if (await requeueMail(ctx.db, mailId, ctx.now())) await enqueueWrittenMails(ctx, [mailId])
  } else if (name === 'build-zip') {
    const { shareId, revision } = payload as Jobs['build-zip']
    const share = await requestZipAgain(ctx.db, shareId, revision)
    if (share) await prepareZip(ctx, share)
  } else if (name === 'checksum-file') {
    const { fileId } = payload as Jobs['checksum-file']
    await ctx.queue.add(name, { fileId }, `checksum-${fileId}`)
  } else if (name === 'make-previews') {
    const { shareUid } = payload as Jobs['make-previews']
    await ctx.queue.add(name, { shareUid }, `previews-${shareUid}`)
  } else await queueCleanUp(ctx)
}

function isJobName(name: string): name is JobName {
  return (jobNames as string[]).includes(name)
}

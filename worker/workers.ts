import { type Job, WaitingError, Worker } from 'bullmq'
import type { Context } from '../src/context.ts'
import type { QueueConnection } from '../src/queue/connection.ts'
import { runJob } from '../src/queue/job-scope.ts'
import { type JobName, type Jobs, jobNames, jobSettings } from '../src/queue/jobs.ts'
import { buildZip, failZip } from './build-zip.ts'
import { checksumFile } from './checksum-file.ts'
import { cleanUp } from './clean-up.ts'
import { makePreviews } from './make-previews.ts'
import { sendMail } from './send-mail.ts'

interface Processor<Payload> {
  /**
   * May run twice, even on two workers at once. Stops soon after `signal` aborts; another worker
   * continues the job.
   */
  run(ctx: Context, payload: Payload, signal: AbortSignal): Promise<void>
  /** Records in the row that the last attempt failed. */
  onFinalFailure?(ctx: Context, payload: Payload): Promise<void>
}

// A job without a processor does not compile.
const processors: { [N in JobName]: Processor<Jobs[N]> } = {
  'build-zip': { run: buildZip, onFinalFailure: failZip },
  'checksum-file': { run: checksumFile },
  'make-previews': { run: makePreviews },
  'clean-up': { run: cleanUp },
  'send-mail': { run: sendMail },
}

const RETRY_CONNECTION = 1_000 // ms
const STALLED_CHECK = 10_000 // ms; a job has stalled when its worker has died and its lock of 30 s has expired
/** A job that stalled more often fails, because it may have killed its workers. */
const MAX_STALLED = 5

/**
 * Starts one BullMQ worker for each kind of job, so that long zips do not delay the rest. `close`
 * releases running jobs without counting an attempt.
 */
export function startWorkers(ctx: Context, { connection, backend, logError }: QueueConnection): { close(): Promise<void> } {
  const stopping = new AbortController()
  const workers = jobNames.map((name) => {
    const processor = processors[name] as Processor<unknown>
    const { concurrency } = jobSettings[name]
    const options = {
      connection,
      concurrency,
      runRetryDelay: RETRY_CONNECTION,
      stalledInterval: STALLED_CHECK,
      maxStalledCount: MAX_STALLED,
    }
    const worker = new Worker(name, (job, token) => work(ctx, processor, job, token, stopping.signal), options, backend as never) // BullMQ declares its own class for `backend` and accepts a factory
    worker.on('error', logError)
    worker.on('failed', (job, err) => onFailure(ctx, name, processor, job, err))
    return worker
  })
  return {
    async close() {
      const closing = workers.map((worker) => worker.close())
      stopping.abort()
      await Promise.all(closing)
    },
  }
}

async function work(
  ctx: Context,
  processor: Processor<unknown>,
  job: Job,
  token: string | undefined,
  stopping: AbortSignal,
): Promise<void> {
  const startedAt = performance.now()
  const record = (outcome: 'done' | 'failed' | 'given_back') =>
    ctx.metrics.record({ kind: 'job', job: job.name as JobName, outcome, seconds: (performance.now() - startedAt) / 1000 })
  try {
    stopping.throwIfAborted()
    await runJob(() => processor.run(ctx, job.data, stopping))
    record('done')
    ctx.log.info({ job: job.name, id: job.id, ms: Math.round(performance.now() - startedAt) }, 'job done')
  } catch (error) {
    record(stopping.aborted ? 'given_back' : 'failed')
    if (!stopping.aborted) throw error
    await job.moveToWait(token)
    throw new WaitingError()
  }
}

async function onFailure(
  ctx: Context,
  name: JobName,
  { onFinalFailure }: Processor<unknown>,
  job: Job | undefined,
  err: Error,
): Promise<void> {
  const final = job?.finishedOn !== undefined
  ctx.log.error({ job: name, id: job?.id, attempts: job?.attemptsMade, final, err }, 'job failed')
  if (!final || !onFinalFailure) return
  await onFinalFailure(ctx, job.data).catch((error) =>
    ctx.log.error({ job: name, id: job.id, err: error }, 'job failure could not be saved'),
  )
}

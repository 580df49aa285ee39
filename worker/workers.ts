import { type Job, WaitingError, Worker } from 'bullmq'
import type { Context } from '../src/context.ts'
import type { QueueConnection } from '../src/queue/connection.ts'
import { type JobName, type Jobs, jobNames, jobSettings } from '../src/queue/jobs.ts'
import { buildZip, failZip } from './build-zip.ts'
import { checksumFile } from './checksum-file.ts'
import { cleanUp } from './clean-up.ts'
import { sendMail } from './send-mail.ts'

interface Processor<Payload> {
  /** May run twice, and on two workers at once. Stops soon when `signal` aborts: its worker is going, and another takes the job up. */
  run(ctx: Context, payload: Payload, signal: AbortSignal): Promise<void>
  /** After the last try failed: the row must say so. */
  gaveUp?(ctx: Context, payload: Payload): Promise<void>
}

// A job without a processor does not compile.
const processors: { [N in JobName]: Processor<Jobs[N]> } = {
  'build-zip': { run: buildZip, gaveUp: failZip },
  'checksum-file': { run: checksumFile },
  'clean-up': { run: cleanUp },
  'send-mail': { run: sendMail },
}

const RETRY_CONNECTION = 1_000 // ms
const LOOK_FOR_ORPHANS = 10_000 // ms; a job is one when its worker has died and its lock of 30 s has run out
/** How often a job may have been on a worker that died before it counts as failed: it may be what killed them. */
const DEATHS = 5

/** One BullMQ worker for each kind of job, so that long zips never hold up the rest. `close` gives the jobs in hand back, none of their tries used up. */
export function startWorkers(ctx: Context, { connection, backend, failed: connectionFailed }: QueueConnection): { close(): Promise<void> } {
  const stopping = new AbortController()
  const workers = jobNames.map((name) => {
    const processor = processors[name] as Processor<unknown>
    const { concurrency } = jobSettings[name]
    const options = { connection, concurrency, runRetryDelay: RETRY_CONNECTION, stalledInterval: LOOK_FOR_ORPHANS, maxStalledCount: DEATHS }
    const worker = new Worker(name, (job, token) => work(ctx, processor, job, token, stopping.signal), options, backend as never)
    worker.on('error', connectionFailed)
    worker.on('failed', (job, err) => failed(ctx, name, processor, job, err))
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
  const started = performance.now()
  const note = (outcome: 'done' | 'failed' | 'given_back') =>
    ctx.metrics.note({ kind: 'job', job: job.name as JobName, outcome, seconds: (performance.now() - started) / 1000 })
  try {
    stopping.throwIfAborted()
    await processor.run(ctx, job.data, stopping)
    note('done')
    ctx.log.info({ job: job.name, id: job.id, ms: Math.round(performance.now() - started) }, 'job done')
  } catch (error) {
    note(stopping.aborted ? 'given_back' : 'failed')
    if (!stopping.aborted) throw error
    await job.moveToWait(token)
    throw new WaitingError()
  }
}

async function failed(ctx: Context, name: JobName, { gaveUp }: Processor<unknown>, job: Job | undefined, err: Error): Promise<void> {
  const final = job?.finishedOn !== undefined
  ctx.log.error({ job: name, id: job?.id, tries: job?.attemptsMade, final, err }, 'job failed')
  if (!final || !gaveUp) return
  await gaveUp(ctx, job.data).catch((error) => ctx.log.error({ job: name, id: job.id, err: error }, 'giving up could not be noted'))
}

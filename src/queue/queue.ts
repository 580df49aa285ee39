import { Queue as BullQueue, type DefaultJobOptions } from 'bullmq'
import { withTimeout } from '../process/in-time.ts'
import type { QueueConnection } from './connection.ts'
import { type JobName, type Jobs, jobNames, jobSettings } from './jobs.ts'

/** Where jobs are handed in. The row is the truth: a job that is lost is handed in again by the clean-up. */
export interface Queue {
  /** Hands in a job; one that is waiting already under the same `id` is not handed in twice, one that is being worked on comes again. Never rejects and never waits long: see above. */
  add<N extends JobName>(name: N, payload: Jobs[N], id?: string): Promise<void>
  /** How many jobs there are of each kind, and the newest of those that failed for good. Rejects when the queue cannot be reached now. */
  overview(): Promise<{ counts: JobCounts[]; failed: FailedJob[] }>
  /** What a failed job was told; null when it is not among the failed ones any more. */
  failedPayload<N extends JobName>(name: N, id: string): Promise<Jobs[N] | null>
  /** Takes a failed job off the list. */
  forgetFailed(name: JobName, id: string): Promise<void>
  /** Rejects when the queue cannot be reached now. */
  check(): Promise<void>
  close(): Promise<void>
}

export interface JobCounts {
  name: JobName
  waiting: number
  active: number
  delayed: number
  failed: number
}
export interface FailedJob {
  name: JobName
  id: string
  reason: string
  attempts: number
  failedAt: Date
}

interface Log {
  warn(details: object, message: string): void
}

const LONGEST_ADD = 3_000 // ms
const SHOWN = 20 // failed jobs of each kind

/** One BullMQ queue for each kind of job. */
export function openQueue(queueConnection: QueueConnection, log: Log): Queue {
  const queues = new Map(jobNames.map((name) => [name, openBullQueue(name, queueConnection)]))
  return {
    async add(name, payload, id) {
      const options = id === undefined ? {} : { deduplication: { id, keepLastIfActive: true } }
      try {
        await withTimeout(queues.get(name)!.add(name, payload, options), LONGEST_ADD)
      } catch (err) {
        log.warn({ err, job: name }, 'job could not be handed in; the clean-up will do it')
      }
    },
    async overview() {
      const all = [...queues]
      const counts = await Promise.all(all.map(([name, queue]) => countsOf(name, queue)))
      const failed = await Promise.all(all.map(([name, queue]) => failedOf(name, queue)))
      return { counts, failed: failed.flat().sort((a, b) => b.failedAt.getTime() - a.failedAt.getTime()) }
    },
    async failedPayload(name, id) {
      const job = await queues.get(name)!.getJob(id)
      return job && (await job.isFailed()) ? job.data : null
    },
    async forgetFailed(name, id) {
      const job = await queues.get(name)!.getJob(id)
      if (job && (await job.isFailed())) await job.remove()
    },
    check: () => queueConnection.check(),
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()))
    },
  }
}

async function countsOf(name: JobName, queue: BullQueue): Promise<JobCounts> {
  const { waiting = 0, active = 0, delayed = 0, failed = 0 } = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed')
  return { name, waiting, active, delayed, failed }
}

async function failedOf(name: JobName, queue: BullQueue): Promise<FailedJob[]> {
  const jobs = await queue.getFailed(0, SHOWN - 1)
  return jobs.map(({ id = '', failedReason = '', attemptsMade, finishedOn = 0 }) => ({
    name,
    id,
    reason: failedReason,
    attempts: attemptsMade,
    failedAt: new Date(finishedOn),
  }))
}

/** The BullMQ queue of one kind of job. */
export function openBullQueue(name: JobName, { connection, backend, failed }: QueueConnection): BullQueue {
  const queue = new BullQueue(
    name,
    { connection, defaultJobOptions: jobOptions(name), streams: { events: { maxLen: 100 } } },
    backend as never,
  )
  queue.on('error', failed)
  return queue
}

/** How BullMQ treats a job of this kind: tries, growing pauses between them, and what is kept of those that are over. */
export function jobOptions(name: JobName): DefaultJobOptions {
  const { attempts, retryAfter } = jobSettings[name]
  return { attempts, backoff: { type: 'exponential', delay: retryAfter }, removeOnComplete: true, removeOnFail: { count: 100 } }
}

import { Queue as BullQueue, type DefaultJobOptions } from 'bullmq'
import { withTimeout } from '../process/in-time.ts'
import type { QueueConnection } from './connection.ts'
import { type JobName, type Jobs, jobNames, jobSettings } from './jobs.ts'

/** The job queue. Rows are the truth: the clean-up adds lost jobs again. */
export interface Queue {
  /**
   * Adds a job. A waiting job with the same `id` is not added twice; a running one is repeated.
   * Never rejects, and waits 3 s at most, because the clean-up adds lost jobs again.
   */
  add<N extends JobName>(name: N, payload: Jobs[N], id?: string, place?: QueuePlace): Promise<void>
  /** Returns job counts and the newest failed jobs. Rejects when the queue can't be reached. */
  overview(): Promise<{ counts: JobCounts[]; failed: FailedJob[] }>
  /** Returns the payload of a failed job; null when it is no longer in that state. */
  failedPayload<N extends JobName>(name: N, id: string): Promise<Jobs[N] | null>
  /** Removes a failed job. */
  removeFailed(name: JobName, id: string): Promise<void>
  /** Rejects when the queue can't be reached. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Where a job is added: before or after the waiting ones. */
export type QueuePlace = 'first' | 'last'

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

const ADD_TIMEOUT = 3_000 // ms
const MAX_FAILED = 20 // jobs in the overview, per kind

/** Opens one BullMQ queue for each kind of job. */
export function openQueue(queueConnection: QueueConnection, log: Log): Queue {
  const queues = Object.fromEntries(jobNames.map((name) => [name, openBullQueue(name, queueConnection)])) as Record<JobName, BullQueue>
  return {
    async add(name, payload, id, place = 'last') {
      const options = { lifo: place === 'first', ...(id !== undefined && { deduplication: { id, keepLastIfActive: true } }) }
      try {
        await withTimeout(queues[name].add(name, payload, options), ADD_TIMEOUT)
      } catch (err) {
        log.warn({ err, job: name }, 'job could not be added; the clean-up will add it')
      }
    },
    async overview() {
      const counts = await Promise.all(jobNames.map((name) => countsOf(name, queues[name])))
      const failed = await Promise.all(jobNames.map((name) => failedOf(name, queues[name])))
      return { counts, failed: failed.flat().sort((a, b) => b.failedAt.getTime() - a.failedAt.getTime()) }
    },
    async failedPayload(name, id) {
      const job = await queues[name].getJob(id)
      return job && (await job.isFailed()) ? job.data : null
    },
    async removeFailed(name, id) {
      const job = await queues[name].getJob(id)
      if (job && (await job.isFailed())) await job.remove()
    },
    check: () => queueConnection.check(),
    async close() {
      await Promise.all(Object.values(queues).map((queue) => queue.close()))
    },
  }
}

async function countsOf(name: JobName, queue: BullQueue): Promise<JobCounts> {
  const { waiting = 0, active = 0, delayed = 0, failed = 0 } = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed')
  return { name, waiting, active, delayed, failed }
}

async function failedOf(name: JobName, queue: BullQueue): Promise<FailedJob[]> {
  const jobs = await queue.getFailed(0, MAX_FAILED - 1)
  return jobs.map(({ id = '', failedReason = '', attemptsMade, finishedOn = 0 }) => ({
    name,
    id,
    reason: failedReason,
    attempts: attemptsMade,
    failedAt: new Date(finishedOn),
  }))
}

/** Opens the BullMQ queue of one kind of job. */
export function openBullQueue(name: JobName, { connection, backend, logError }: QueueConnection): BullQueue {
  const queue = new BullQueue(
    name,
    { connection, defaultJobOptions: jobOptions(name), streams: { events: { maxLen: 100 } } },
    backend as never, // BullMQ declares its own class here and accepts a factory
  )
  queue.on('error', logError)
  return queue
}

/** Returns BullMQ's options for a kind of job: attempts, growing delays, and how many to keep. */
export function jobOptions(name: JobName): DefaultJobOptions {
  const { attempts, retryAfter } = jobSettings[name]
  return { attempts, backoff: { type: 'exponential', delay: retryAfter }, removeOnComplete: true, removeOnFail: { count: 100 } }
}

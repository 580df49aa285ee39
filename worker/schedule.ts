import type { QueueConnection } from '../src/queue/connection.ts'
import { cleanUpEvery } from '../src/queue/jobs.ts'
import { jobOptions, openBullQueue } from '../src/queue/queue.ts'

interface Log {
  warn(details: object, message: string): void
}

const SCHEDULE = 'clean-up'

/** Schedules the clean-up, once for all workers, and looks every half minute whether the schedule is still there: a Redis may have lost it. */
export async function keepSchedule(queueConnection: QueueConnection, log: Log): Promise<{ close(): Promise<void> }> {
  const queue = openBullQueue('clean-up', queueConnection, log)

  async function ensure(): Promise<void> {
    const found = await queue.getJobScheduler(SCHEDULE)
    const overdue = (found?.next ?? 0) < Date.now() - 2 * cleanUpEvery
    if (found?.every === cleanUpEvery && !overdue) return
    await queue.upsertJobScheduler(SCHEDULE, { every: cleanUpEvery }, { name: 'clean-up', data: {}, opts: jobOptions('clean-up') })
  }

  await ensure()
  const timer = setInterval(() => ensure().catch((err) => log.warn({ err }, 'schedule could not be checked')), cleanUpEvery)
  return {
    async close() {
      clearInterval(timer)
      await queue.close()
    },
  }
}

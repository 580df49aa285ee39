import type { QueueConnection } from '../src/queue/connection.ts'
import { cleanUpEvery } from '../src/queue/jobs.ts'
import { jobOptions, openBullQueue } from '../src/queue/queue.ts'

interface Log {
  warn(details: object, message: string): void
}

const SCHEDULE = 'clean-up'

/** Schedules the clean-up once for all workers, and restores a lost schedule every 30 s. */
export function maintainSchedule(queueConnection: QueueConnection, log: Log): { close(): Promise<void> } {
  const queue = openBullQueue('clean-up', queueConnection)

  async function schedule(): Promise<void> {
    const scheduler = await queue.getJobScheduler(SCHEDULE)
    const overdue = (scheduler?.next ?? 0) < Date.now() - 2 * cleanUpEvery
    if (scheduler?.every === cleanUpEvery && !overdue) return
    await queue.upsertJobScheduler(SCHEDULE, { every: cleanUpEvery }, { name: 'clean-up', data: {}, opts: jobOptions('clean-up') })
  }

  const ensure = () => schedule().catch((err) => log.warn({ err }, 'clean-up could not be scheduled; retrying'))
  let ensured = ensure()
  const timer = setInterval(() => {
    ensured = ensured.then(ensure)
  }, cleanUpEvery)
  return {
    async close() {
      clearInterval(timer)
      await queue.close()
    },
  }
}

import type { Context } from '../src/context.ts'
import type { QueueConnection } from '../src/queue/connection.ts'
import { jobNames } from '../src/queue/jobs.ts'
import { maintainSchedule } from './schedule.ts'
import { startWorkers } from './workers.ts'

/** Processes jobs in this process until `close`, which releases running jobs. */
export function startJobs(ctx: Context, queueConnection: QueueConnection): { close(): Promise<void> } {
  const workers = startWorkers(ctx, queueConnection)
  const schedule = maintainSchedule(queueConnection, ctx.log)
  ctx.log.info({ jobs: jobNames }, 'worker is ready')
  return {
    async close() {
      await schedule.close()
      await workers.close()
    },
  }
}

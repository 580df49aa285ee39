import { type JobName, type Jobs, jobNames } from '../../../src/queue/jobs.ts'
import type { Queue } from '../../../src/queue/queue.ts'

interface WaitingJob {
  name: JobName
  payload: Jobs[JobName]
  id?: string
}

/** A queue without a worker. Its jobs stay in `jobs` for tests to inspect. */
export function waitingJobs(): Queue & { jobs: WaitingJob[] } {
  const jobs: WaitingJob[] = []
  return {
    jobs,
    async add(name, payload, id, place) {
      if (id !== undefined && jobs.some((job) => job.name === name && job.id === id)) return
      jobs[place === 'first' ? 'unshift' : 'push']({ name, payload, ...(id !== undefined && { id }) })
    },
    async overview() {
      const waiting = (name: JobName) => jobs.filter((job) => job.name === name).length
      return { counts: jobNames.map((name) => ({ name, waiting: waiting(name), active: 0, delayed: 0, failed: 0 })), failed: [] }
    },
    async failedPayload() {
      return null
    },
    async removeFailed() {},
    async check() {},
    async close() {},
  }
}

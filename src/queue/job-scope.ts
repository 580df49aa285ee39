import { AsyncLocalStorage } from 'node:async_hooks'

const scopes = new AsyncLocalStorage<(error: unknown) => void>()

/** Runs a job, so that `failJob` can attribute an uncaught error to it. */
export function runJob(job: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => scopes.run(reject, () => job().then(resolve, reject)))
}

/**
 * Fails the job that caused an uncaught error; a job that stays open would never reach another
 * worker. Returns false outside of any job.
 */
export function failJob(error: unknown): boolean {
  const reject = scopes.getStore()
  reject?.(error)
  return reject !== undefined
}

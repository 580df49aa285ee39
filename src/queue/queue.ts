import type { JobName, Jobs } from './jobs.ts'

/** Where jobs are handed in. The row is the truth: a job that is lost is handed in again by the clean-up. */
export interface Queue {
  /** Hands in a job; one that is waiting already under the same `id` is not handed in twice. */
  add<N extends JobName>(name: N, payload: Jobs[N], id?: string): Promise<void>
  close(): Promise<void>
}

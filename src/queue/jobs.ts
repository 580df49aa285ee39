/** What each job is told: ids. The processor reads the row when it runs, and never acts on a stale copy. */
export interface Jobs {
  'checksum-file': { fileId: string }
  'build-zip': { shareId: string; revision: number }
  'clean-up': Record<string, never>
  'send-mail': { mailId: string }
}
export type JobName = keyof Jobs

interface JobSettings {
  concurrency: number
  attempts: number
  /** Milliseconds before the first retry; doubled at each further one. */
  retryAfter: number
}

export const jobSettings: Record<JobName, JobSettings> = {
  'checksum-file': { concurrency: 2, attempts: 3, retryAfter: 5_000 },
  'build-zip': { concurrency: 2, attempts: 3, retryAfter: 5_000 },
  'clean-up': { concurrency: 1, attempts: 1, retryAfter: 0 },
  // A mail server that is away is no failure of the job: the row waits, see worker/send-mail.ts.
  'send-mail': { concurrency: 4, attempts: 3, retryAfter: 5_000 },
}
export const jobNames = Object.keys(jobSettings) as JobName[]

/** Milliseconds between two clean-ups. */
export const cleanUpEvery = 30_000

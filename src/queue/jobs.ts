/**
 * The payload of each job: ids only. The processor reads the row when it runs, so it is never
 * stale.
 */
export interface Jobs {
  'checksum-file': { fileId: string }
  'build-zip': { shareId: string; revision: number }
  'make-previews': { shareUid: string }
  'clean-up': Record<string, never>
  'send-mail': { mailId: string }
}
export type JobName = keyof Jobs

interface JobSettings {
  concurrency: number
  attempts: number
  /** Milliseconds before the first retry; doubled for each later one. */
  retryAfter: number
}

export const jobSettings: Record<JobName, JobSettings> = {
  'checksum-file': { concurrency: 2, attempts: 3, retryAfter: 5_000 },
  'build-zip': { concurrency: 2, attempts: 3, retryAfter: 5_000 },
  // One at a time, because a picture may need a lot of memory. The row counts the attempts.
  'make-previews': { concurrency: 1, attempts: 3, retryAfter: 5_000 },
  'clean-up': { concurrency: 1, attempts: 1, retryAfter: 0 },
  // An unavailable mail server doesn't fail the job: the row waits, see worker/send-mail.ts.
  'send-mail': { concurrency: 4, attempts: 3, retryAfter: 5_000 },
}
export const jobNames = Object.keys(jobSettings) as JobName[]

/** Milliseconds between two clean-ups. */
export const cleanUpEvery = 30_000

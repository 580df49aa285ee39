import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'

const TextOrNull = Type.Union([Type.String(), Type.Null()])
const Dependency = Type.Object({
  state: Type.Enum(['up', 'down']),
  /** Why it is down, in the words of what is down. */
  reason: TextOrNull,
})

const JobCounts = Type.Object({
  name: Type.String(),
  waiting: Type.Integer(),
  active: Type.Integer(),
  delayed: Type.Integer(),
  failed: Type.Integer(),
})

const FailedJob = Type.Object({
  name: Type.String(),
  id: Type.String(),
  reason: Type.String(),
  attempts: Type.Integer(),
  /** ISO 8601. */
  failedAt: Type.String(),
})
export type FailedJob = Static<typeof FailedJob>

export const System = Type.Object({
  dependencies: Type.Object({ database: Dependency, queue: Dependency, storage: Dependency }),
  /** Which implementation of each is in use. */
  engines: Type.Object({
    database: Type.Enum(['embedded', 'external']),
    queue: Type.Enum(['postgres', 'redis']),
    storage: Type.Enum(['disk', 's3']),
  }),
  /** Bytes. `uploading` is reserved by files whose upload is not finished. */
  storage: Type.Object({ files: Type.Integer(), zips: Type.Integer(), uploading: Type.Integer() }),
  counts: Type.Object({ users: Type.Integer(), shares: Type.Integer(), files: Type.Integer(), openUploads: Type.Integer() }),
  mails: Type.Object({
    waiting: Type.Integer(),
    failed: Type.Integer(),
    /** Why the last try of a waiting mail failed. */
    lastError: TextOrNull,
  }),
  /** null when the queue cannot be asked now. */
  jobs: Type.Union([Type.Object({ counts: Type.Array(JobCounts), failed: Type.Array(FailedJob) }), Type.Null()]),
})
export type System = Static<typeof System>

export const Release = Type.Object({
  version: Type.String(),
  /** The newest release; null while it is not known, or when nobody asks for it. */
  newest: TextOrNull,
  isNewer: Type.Boolean(),
  /** Where the newest release can be read about. */
  url: TextOrNull,
  /** Whether the server asks at all. */
  checks: Type.Boolean(),
})
export type Release = Static<typeof Release>

export const systemContract = {
  'GET /api/system': { summary: 'The state of the installation (administrators)', response: System },
  'GET /api/system/release': { summary: 'The version that runs, and the newest one that is known (administrators)', response: Release },
  'POST /api/system/jobs/:queue/:id/retry': {
    summary: 'Try a failed job again (administrators)',
    params: Type.Object({ queue: Type.String({ maxLength: 50 }), id: Type.String({ maxLength: 200 }) }),
    status: 202,
  },
} satisfies Contract

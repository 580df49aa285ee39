import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'

const TextOrNull = Type.Union([Type.String(), Type.Null()])
const Dependency = Type.Object({
  state: Type.Enum(['up', 'down']),
  /** The dependency's own error message; null while it is up. */
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
  /** The implementation in use. */
  engines: Type.Object({
    database: Type.Enum(['embedded', 'external']),
    queue: Type.Enum(['postgres', 'redis']),
    storage: Type.Enum(['disk', 's3']),
  }),
  /** Bytes. `uploading` is reserved by unfinished uploads. */
  storage: Type.Object({ files: Type.Integer(), zips: Type.Integer(), uploading: Type.Integer() }),
  counts: Type.Object({ users: Type.Integer(), shares: Type.Integer(), files: Type.Integer(), openUploads: Type.Integer() }),
  mails: Type.Object({
    waiting: Type.Integer(),
    failed: Type.Integer(),
    /** The error of the last attempt to send a waiting email. */
    lastError: TextOrNull,
  }),
  /** null when the queue can't be reached. */
  jobs: Type.Union([Type.Object({ counts: Type.Array(JobCounts), failed: Type.Array(FailedJob) }), Type.Null()]),
})
export type System = Static<typeof System>

export const Release = Type.Object({
  version: Type.String(),
  /** The newest release; null when it is unknown or not checked. */
  newest: TextOrNull,
  isNewer: Type.Boolean(),
  /** The page of the newest release. */
  url: TextOrNull,
  /** Whether the server checks for releases. */
  checks: Type.Boolean(),
})
export type Release = Static<typeof Release>

export const systemContract = {
  'GET /api/system': { summary: 'The state of the installation (administrators)', response: System },
  'GET /api/system/release': { summary: 'The running version and the newest known one (administrators)', response: Release },
  'POST /api/system/jobs/:queue/:id/retry': {
    summary: 'Retry a failed job (administrators)',
    params: Type.Object({ queue: Type.String({ maxLength: 50 }), id: Type.String({ maxLength: 200 }) }),
    status: 202,
  },
} satisfies Contract

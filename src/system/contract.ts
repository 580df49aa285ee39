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
  /** What limits a store that works; `minutes` is the difference of the clocks. */
  storageWarnings: Type.Array(Type.Object({ code: Type.Enum(['versioned', 'unlisted', 'clock']), minutes: Type.Optional(Type.Integer()) })),
  /**
   * Whether browsers transfer files to and from S3 directly, and why not; null for a local disk.
   */
  direct: Type.Union([Type.Object({ isOn: Type.Boolean(), reason: TextOrNull }), Type.Null()]),
  /**
   * Bytes. `uploading` is reserved by unfinished uploads. `free` is the space for uploads,
   * including unfinished ones; null if it is unknown, as on S3.
   */
  storage: Type.Object({
    files: Type.Integer(),
    zips: Type.Integer(),
    uploading: Type.Integer(),
    free: Type.Union([Type.Integer(), Type.Null()]),
  }),
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

export const ProxyFacts = Type.Object({
  received: Type.Integer({ description: 'bytes of the body' }),
  bodyTime: Type.Integer({ description: 'milliseconds from the head of the request to the end of its body' }),
  address: Type.String({ description: 'of the client' }),
  peer: Type.String({ description: 'address of the connection, for example of a proxy' }),
  protocol: Type.String(),
  host: Type.String(),
  isForwarded: Type.Boolean({ description: 'a proxy has named the client' }),
  trustsProxy: Type.Boolean({ description: 'TRUST_PROXY is set' }),
})
export type ProxyFacts = Static<typeof ProxyFacts>

export const systemContract = {
  'GET /api/system': { summary: 'The state of the installation (administrators)', response: System },
  'GET /api/system/release': { summary: 'The running version and the newest known one (administrators)', response: Release },
  'POST /api/system/proxy-test': {
    summary: 'Send a body of up to 16 MiB to see how requests arrive through the proxies (administrators)',
    consumes: { 'application/octet-stream': null },
    response: ProxyFacts,
  },
  'GET /api/system/proxy-test': {
    summary: 'Get a response in four pieces, with 400 ms between them, to see whether a proxy holds it back (administrators)',
    querystring: Type.Object({
      wait: Type.Optional(Type.Integer({ minimum: 0, maximum: 120, description: 'seconds without a byte before the first piece' })),
    }),
    produces: 'text/plain',
  },
  'POST /api/system/jobs/:queue/:id/retry': {
    summary: 'Retry a failed job (administrators)',
    params: Type.Object({ queue: Type.String({ maxLength: 50 }), id: Type.String({ maxLength: 200 }) }),
    status: 202,
  },
} satisfies Contract

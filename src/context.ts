import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Sealer } from './crypto/sealed.ts'
import type { Reader } from './db/connect.ts'
import type { Database } from './db/schema.ts'
import type { Env } from './env.ts'
import type { Limiters } from './http/rate-limit.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { IdentityProviders } from './oauth/providers.ts'
import type { Queue } from './queue/queue.ts'
import type { ObjectStore } from './storage/object-store.ts'

/** What the whole process shares. Services take the part they need with `Pick`; tests override any of it. */
export interface Context {
  env: Env
  db: Kysely<Database>
  pool: pg.Pool
  reader: Reader
  storage: ObjectStore
  queue: Queue
  /** Counters of tries, shared by all replicas. */
  limiters: Limiters
  /** Seals secrets at rest, and derives the keys of tokens from SECRET_KEY. */
  sealer: Sealer
  log: FastifyBaseLogger
  metrics: Metrics
  /** Where the providers of social logins are. */
  identityProviders: IdentityProviders
  now: () => Date
}

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

/**
 * Resources shared by the process. Functions declare what they use with `Pick`; tests override any.
 */
export interface Context {
  env: Env
  db: Kysely<Database>
  pool: pg.Pool
  reader: Reader
  /** Rejects with a sentence for the operator if the database can't be used now. */
  checkDatabase(): Promise<void>
  storage: ObjectStore
  queue: Queue
  /** Rate limits, shared by all replicas. */
  limiters: Limiters
  /** Encrypts stored secrets and derives token keys from SECRET_KEY. */
  sealer: Sealer
  log: FastifyBaseLogger
  metrics: Metrics
  /** The providers of social login. */
  identityProviders: IdentityProviders
  now: () => Date
}

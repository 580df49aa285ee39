import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { buildApp, type ClientTimeouts } from '../../../src/app.ts'
import type { Context } from '../../../src/context.ts'
import { createSealer } from '../../../src/crypto/sealed.ts'
import { connectDatabases } from '../../../src/db/connect.ts'
import type { Socket } from '../../../src/db/embedded.ts'
import { type Env, readEnv } from '../../../src/env.ts'
import { createLimiters } from '../../../src/http/rate-limit.ts'
import { createMetrics } from '../../../src/metrics/metrics.ts'
import { identityProviders } from '../../../src/oauth/providers.ts'
import { diskStore } from '../../../src/storage/disk/disk-store.ts'
import { migratedDatabase } from '../postgres.ts'
import { silentLog } from './log.ts'
import { waitingJobs } from './queue.ts'

/** The part of tap's `t` in use: cleanup at the end of the test, in reverse order. */
interface Test {
  teardown(work: () => Promise<unknown>): void
}

interface Overrides extends Partial<Omit<Context, 'env'>> {
  env?: Partial<Env>
  /** The database of another app, for tests with two replicas. */
  database?: Socket
  /** How long clients may take. Default: the usual timeouts. */
  timeouts?: ClientTimeouts
}

export interface TestApp {
  app: FastifyInstance
  ctx: Context
  database: Socket
}

/**
 * The real application with its own database and disk store folder. `ctx.queue` keeps its jobs (see
 * `waitingJobs`).
 */
export async function testApp(t: Test, { env, database: sharedDatabase, timeouts, ...overrides }: Overrides = {}): Promise<TestApp> {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-app-'))
  const database = sharedDatabase ?? (await migratedDatabase())
  const { db, pool, reader, check, close } = connectDatabases(database, silentLog)
  const ctx: Context = {
    env: { ...readEnv({ DATA_DIR: folder, LOG_LEVEL: 'silent' }), ...env },
    db,
    pool,
    reader,
    checkDatabase: check,
    storage: overrides.storage ?? (await diskStore({ dir: join(folder, 'objects') })),
    queue: waitingJobs(),
    limiters: createLimiters({ pool }),
    sealer: createSealer('the secret key of the tests, 32 characters and more'),
    log: silentLog,
    metrics: createMetrics(),
    identityProviders,
    now: () => new Date(),
    ...overrides,
  }
  const app = await buildApp(ctx, timeouts)
  t.teardown(async () => {
    await app.close()
    await ctx.queue.close()
    await ctx.storage.close()
    await close()
    await rm(folder, { recursive: true, force: true })
  })
  return { app, ctx, database }
}

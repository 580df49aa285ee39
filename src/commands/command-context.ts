import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import type { Env } from '../env.ts'
import { createMetrics } from '../metrics/metrics.ts'
import type { Closer } from '../process/closing.ts'
import { openContext } from '../process/open-context.ts'
import { poolSizes } from '../process/pool-sizes.ts'
import { loadSecretKey } from '../process/secret-key.ts'
import { openDatabase } from './database.ts'

/**
 * Opens what a command needs to work with shares: the database, the store and the queue.
 *
 * @throws {StartError} DATA_DIR has no database, or PostgreSQL doesn't start
 */
export async function openCommandContext(role: string, env: Env, log: Logger, closing: Closer): Promise<Context> {
  const connection = await openDatabase(role, env, closing)
  const secretKey = env.secretKey ?? (await loadSecretKey(env.dataDir))
  const { ctx, close } = await openContext(env, log, {
    connection,
    secretKey,
    metrics: createMetrics(),
    poolSize: poolSizes(env, true).server,
  })
  closing.add('context', close)
  return ctx
}

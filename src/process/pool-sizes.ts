import type { Env } from '../env.ts'

/** Maximum connections of the pools in one process tree. */
export interface PoolSizes {
  server: number
  worker: number
}

/**
 * Divides DATABASE_POOL. The server's reader has one connection, and each process another one for
 * the queue, unless that is Redis. With `WORKER=process`, the pools of the server and of its worker
 * share the rest. A separate worker has no reader.
 */
export function poolSizes(
  { databasePool, redisUrl, worker }: Pick<Env, 'databasePool' | 'redisUrl' | 'worker'>,
  isAlone: boolean,
): PoolSizes {
  const ofQueue = redisUrl ? 0 : 1
  if (isAlone || worker !== 'process') return { server: databasePool - 1 - ofQueue, worker: databasePool - ofQueue }
  const rest = databasePool - 1 - 2 * ofQueue
  const ofWorker = Math.max(1, Math.floor(rest / 3))
  return { server: rest - ofWorker, worker: ofWorker }
}

import type { Redis } from 'ioredis'

interface Log {
  warn(details: object, message: string): void
}

/** Warns when this Redis throws entries away as its memory fills. No job is lost for good (rows are the truth), but each waits for the clean-up then. */
export async function warnOfEviction(redis: Pick<Redis, 'info'>, log: Log): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1]
  if (policy === undefined || policy === 'noeviction') return
  log.warn({ policy }, 'Redis throws jobs away when its memory is full; set its maxmemory-policy to noeviction')
}

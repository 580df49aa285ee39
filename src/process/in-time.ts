import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Returns the result of `work`, or rejects after `ms` milliseconds and ignores the later result.
 */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const done = new AbortController()
  const timeout = sleep(ms, undefined, { signal: done.signal }).then(() => {
    throw new Error(`no response in ${ms} ms`)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    done.abort()
    timeout.catch(() => {})
    work.catch(() => {})
  }
}

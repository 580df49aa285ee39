import { setTimeout as sleep } from 'node:timers/promises'

/** The result of `work`, unless it takes longer than `ms`: then it rejects, and whatever comes of the work is ignored. */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const done = new AbortController()
  const tooLate = sleep(ms, undefined, { signal: done.signal }).then(() => {
    throw new Error(`no answer in ${ms} ms`)
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    done.abort()
    tooLate.catch(() => {})
    work.catch(() => {})
  }
}

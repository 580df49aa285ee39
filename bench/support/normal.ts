import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { atEnd } from './closing.ts'

export interface Sample {
  /** Of the requests that ended since the sample before, in ms. */
  times: number[]
  /** Those that were not answered with 200. */
  refused: string[]
}

/** Starts the normal load; the function returned takes a sample of it. */
export function startNormalLoad(urls: string[], cookie: string): () => Promise<Sample> {
  const child = fork(fileURLToPath(new URL('./normal-load.ts', import.meta.url)), [JSON.stringify({ urls, cookie })])
  atEnd(() => child.kill())
  return async () => {
    const answer = once(child, 'message')
    child.send('sample')
    return (await answer)[0] as Sample
  }
}

/** The time that 99 of 100 requests stay under, in ms. */
export function p99(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(times.length * 0.99) - 1)] ?? 0
}

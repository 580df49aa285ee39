import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { atEnd } from './closing.ts'

export interface Sample {
  /** Times of the requests that ended since the previous sample, in ms. */
  times: number[]
  /** Requests that got another status than 200. */
  refused: string[]
}

/** Starts the normal load and returns a function that samples it. */
export function startNormalLoad(urls: string[], cookie: string): () => Promise<Sample> {
  const child = fork(fileURLToPath(new URL('./normal-load.ts', import.meta.url)), [JSON.stringify({ urls, cookie })])
  atEnd(() => child.kill())
  return async () => {
    const message = once(child, 'message')
    child.send('sample')
    return (await message)[0] as Sample
  }
}

/** Returns the 99th percentile in ms. */
export function p99(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(times.length * 0.99) - 1)] ?? 0
}

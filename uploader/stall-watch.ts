interface StallWatch {
  /** Aborts when the outer signal does, or after `timeout` without progress. */
  signal: AbortSignal
  /** Records progress. */
  alive(): void
}

/**
 * Runs a request and aborts it after `timeout` milliseconds without a call of `alive`. It uses the
 * wall clock, so that after the machine slept, a dead connection is noticed at the first check.
 */
export async function watchStall<T>(outer: AbortSignal, timeout: number, run: (watch: StallWatch) => Promise<T>): Promise<T> {
  const stalled = new AbortController()
  let last = Date.now()
  const check = () => {
    if (Date.now() - last >= timeout) stalled.abort(new Error('No progress'))
  }
  const timer = setInterval(check, Math.min(5_000, timeout / 4))
  try {
    return await run({
      signal: AbortSignal.any([outer, stalled.signal]),
      alive: () => {
        last = Date.now()
      },
    })
  } finally {
    clearInterval(timer)
  }
}

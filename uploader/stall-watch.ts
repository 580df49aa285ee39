interface Watched {
  /** Aborts when the outer signal does, or when nothing moved for too long. */
  signal: AbortSignal
  alive(): void
}

/**
 * Runs a request and aborts it after `timeout` milliseconds without a call of `alive`. It goes by the clock on the wall: after a sleep,
 * a connection that died meanwhile is noticed at the first look.
 */
export async function watchStall<T>(outer: AbortSignal, timeout: number, run: (watched: Watched) => Promise<T>): Promise<T> {
  const stalled = new AbortController()
  let last = Date.now()
  const look = () => {
    if (Date.now() - last >= timeout) stalled.abort(new Error('No progress'))
  }
  const timer = setInterval(look, Math.min(5_000, timeout / 4))
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

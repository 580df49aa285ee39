/**
 * Returns the pause before attempt `attempt + 1` in milliseconds: it doubles up to `max`, and half
 * of it is random, so that clients do not return together.
 */
export function backoff(attempt: number, base: number, max: number, random = Math.random()): number {
  const whole = Math.min(max, base * 2 ** (attempt - 1))
  return whole / 2 + (whole / 2) * random
}

/** Resolves after the given milliseconds, or at once when the signal is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })
}

const stopping: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Milliseconds. npm forwards the terminal's signals, so one key press arrives twice. */
const SAME_KEY_PRESS = 500

/** Calls `stop` at the first signal to end, and `force` at each later key press. */
export function onSignals(stop: (signal: NodeJS.Signals) => void, force: () => void): void {
  let first: number | null = null
  for (const signal of stopping) {
    process.on(signal, () => {
      const now = performance.now()
      if (first === null) {
        first = now
        stop(signal)
      } else if (now - first > SAME_KEY_PRESS) {
        force()
      }
    })
  }
}

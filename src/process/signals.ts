const stopping: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** npm passes on a signal that the terminal has sent to every process already: one key press arrives twice, at most this many ms apart. */
const SAME_KEY_PRESS = 500

/** Calls `stop` at the first signal to end, and `force` at each further one that somebody meant. */
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

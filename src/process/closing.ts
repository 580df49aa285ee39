interface Log {
  error(details: object, message: string): void
}

export interface Closer {
  /** Registers how to close what has just been opened. */
  add(name: string, close: () => unknown): void
  /** Closes everything, last opened first, one after the other; what fails is logged and does not stop the rest. */
  close(): Promise<void>
}

/** Keeps what a process has opened, so that it closes in reverse however far the start got. */
export function createCloser(log: Log): Closer {
  const opened: { name: string; close: () => unknown }[] = []
  return {
    add(name, close) {
      opened.push({ name, close })
    },
    async close() {
      for (let next = opened.pop(); next; next = opened.pop()) {
        try {
          await next.close()
        } catch (err) {
          log.error({ err }, `${next.name} did not close cleanly`)
        }
      }
    },
  }
}

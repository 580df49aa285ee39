interface Log {
  error(details: object, message: string): void
}

export interface Closer {
  /** Registers the function that closes a resource. */
  add(name: string, close: () => unknown): void
  /** Closes all resources in reverse order. Failures are logged and do not stop the rest. */
  close(): Promise<void>
}

/** Creates a list of open resources, which close in reverse order even after a failed start. */
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

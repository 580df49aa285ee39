const open: (() => unknown)[] = []

/** Has `close` called when the scenario is over, in reverse order. */
export function atEnd(close: () => unknown): void {
  open.push(close)
}

/** Ends what the scenario has opened. */
export async function closeAll(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close()
}

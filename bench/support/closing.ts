const open: (() => unknown)[] = []

/** Registers a function to call at the end of the scenario, in reverse order. */
export function atEnd(close: () => unknown): void {
  open.push(close)
}

/** Closes everything that the scenario has opened. */
export async function closeAll(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close()
}

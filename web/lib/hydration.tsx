import { createContext, type ReactNode, startTransition, useContext, useEffect, useState } from 'react'

const Hydrated = createContext(true)

/**
 * Returns whether React has hydrated the HTML of the server, so that controls that need JavaScript
 * work.
 */
export function useHydrated(): boolean {
  return useContext(Hydrated)
}

/** Wraps the pages that the server renders, on the server and while the browser hydrates them. */
export function Hydration({ children }: { children: ReactNode }) {
  const [hydrated, setHydrated] = useState(false)
  useEffect(() => startTransition(() => setHydrated(true)), [])
  return <Hydrated value={hydrated}>{children}</Hydrated>
}

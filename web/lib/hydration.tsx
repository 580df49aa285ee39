import { createContext, type ReactNode, startTransition, useContext, useEffect, useState } from 'react'

const Hydrated = createContext(true)

/** Whether the page is more than the HTML that the server rendered: what needs JavaScript works from then on. */
export function useHydrated(): boolean {
  return useContext(Hydrated)
}

/** Around what the server renders, there and while the browser hydrates it. */
export function Hydration({ children }: { children: ReactNode }) {
  const [hydrated, setHydrated] = useState(false)
  useEffect(() => startTransition(() => setHydrated(true)), [])
  return <Hydrated value={hydrated}>{children}</Hydrated>
}

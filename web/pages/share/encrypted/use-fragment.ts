import { useEffect } from 'react'
import { currentPath } from '../../../lib/address.ts'
import { sharePath } from '../../../lib/share-addresses.ts'

/** wouter dispatches the first two events on the window. */
const events = ['pushState', 'replaceState', 'popstate'] as const

/**
 * Keeps a share's key in the address while the visitor moves between its folders, so that a reload
 * still opens it. Null: there is no key yet.
 */
export function useFragment(shareId: string, fragment: string | null): void {
  useEffect(() => {
    if (fragment === null) return
    const keep = () => {
      const isShare = currentPath() === sharePath(shareId)
      if (isShare && location.hash !== fragment) history.replaceState(history.state, '', location.pathname + location.search + fragment)
    }
    keep()
    for (const event of events) addEventListener(event, keep)
    return () => {
      for (const event of events) removeEventListener(event, keep)
    }
  }, [shareId, fragment])
}

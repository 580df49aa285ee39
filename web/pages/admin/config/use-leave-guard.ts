import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'

interface LeaveGuard {
  /** Where somebody wants to go; null while nobody does. */
  wanted: string | null
  /** Goes there, or asks first. */
  leave(to: string): void
  confirm(): void
  stay(): void
}

/**
 * Keeps what is not saved from getting lost: asks before the page is left by its own links, by the browser's back and forward, or by closing the tab.
 * `stays` tells which paths belong to the page.
 */
export function useLeaveGuard(unsaved: boolean, stays: (path: string) => boolean): LeaveGuard {
  const [path, navigate] = useLocation()
  const [wanted, setWanted] = useState<string | null>(null)
  const here = useRef(path)
  useEffect(() => {
    here.current = path
  }, [path])

  useEffect(() => {
    if (!unsaved) return
    const keepTab = (event: BeforeUnloadEvent) => event.preventDefault()
    /** The address has changed already: it is changed back before any other listener sees it. */
    const keepPage = (event: PopStateEvent) => {
      if (stays(location.pathname)) return
      const to = location.pathname + location.search
      event.stopImmediatePropagation()
      history.pushState(null, '', here.current)
      setWanted(to)
    }
    addEventListener('beforeunload', keepTab)
    addEventListener('popstate', keepPage, { capture: true })
    return () => {
      removeEventListener('beforeunload', keepTab)
      removeEventListener('popstate', keepPage, { capture: true })
    }
  }, [unsaved, stays])

  return {
    wanted,
    leave: (to) => (unsaved ? setWanted(to) : navigate(to)),
    confirm: () => wanted !== null && navigate(wanted),
    stay: () => setWanted(null),
  }
}

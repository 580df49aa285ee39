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

/** Whether going back or forward to a path is held up, on the page that is shown. */
let holdsUp: ((to: string) => boolean) | null = null

/** The router listens, too, from when the first page is drawn: this comes before it. */
addEventListener('popstate', (event) => {
  if (holdsUp?.(location.pathname + location.search)) event.stopImmediatePropagation()
})

/**
 * Keeps what is not saved from getting lost: holds up leaving the page by its own links, by the browser's back and forward, and by closing the tab.
 * `stays` tells which paths belong to the page; it is the same function at each call.
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
    holdsUp = (to) => {
      if (stays(location.pathname)) return false
      history.pushState(null, '', here.current) // the address has changed already
      setWanted(to)
      return true
    }
    addEventListener('beforeunload', keepTab)
    return () => {
      holdsUp = null
      removeEventListener('beforeunload', keepTab)
    }
  }, [unsaved, stays])

  return {
    wanted,
    leave: (to) => (unsaved ? setWanted(to) : navigate(to)),
    confirm: () => wanted !== null && navigate(wanted),
    stay: () => setWanted(null),
  }
}

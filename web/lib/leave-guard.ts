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

/** Where a click leads inside this application; null when it does not, or opens elsewhere. */
function destinationOf(event: MouseEvent): string | null {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null
  const elsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
  if (!link || elsewhere || link.target || link.hasAttribute('download') || link.origin !== location.origin) return null
  return link.pathname + link.search
}

/** The router listens, too, from when the first page is drawn: this comes before it. */
addEventListener('popstate', (event) => {
  if (holdsUp?.(location.pathname + location.search)) event.stopImmediatePropagation()
})

/**
 * Keeps what is not saved from getting lost: holds up leaving the page by links, by the browser's back and forward, and by closing the tab.
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
    const keepPage = (event: MouseEvent) => {
      const to = destinationOf(event)
      if (to === null || stays(new URL(to, location.origin).pathname)) return
      event.preventDefault()
      event.stopPropagation() // before the link itself hears of it
      setWanted(to)
    }
    addEventListener('click', keepPage, { capture: true })
    addEventListener('beforeunload', keepTab)
    return () => {
      holdsUp = null
      removeEventListener('click', keepPage, { capture: true })
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

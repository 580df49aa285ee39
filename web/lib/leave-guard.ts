import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { address, currentPath, pathOf } from './address.ts'

interface LeaveGuard {
  /** The path that the user tries to open; null if the user is not leaving. */
  destination: string | null
  /** Opens a path, or asks first. */
  leave(to: string): void
  confirm(): void
  stay(): void
}

/** Returns whether the shown page blocks going back or forward to a path. */
let blocksNavigation: ((to: string) => boolean) | null = null

/** Whether the shown page has unsaved changes, which would be lost on another page. */
export const blocksLeaving = () => blocksNavigation !== null

/**
 * Returns the path within this application that a click opens; null for other clicks and for links
 * that open elsewhere.
 */
function destinationOf(event: MouseEvent): string | null {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null
  const opensElsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
  if (!link || opensElsewhere || link.target || link.hasAttribute('download') || link.origin !== location.origin) return null
  const path = pathOf(link.pathname)
  return path === null ? null : path + link.search
}

/** Must be added before the router's listener, which is added when the first page is rendered. */
addEventListener('popstate', (event) => {
  if (blocksNavigation?.(currentPath() + location.search)) event.stopImmediatePropagation()
})

/**
 * Protects unsaved changes: blocks leaving the page by links, by the browser's back and forward,
 * and by closing the tab.
 * `isSamePage` returns whether a path belongs to the page; it must be the same function at each
 * call.
 */
export function useLeaveGuard(unsaved: boolean, isSamePage: (path: string) => boolean): LeaveGuard {
  const [path, navigate] = useLocation()
  const [destination, setDestination] = useState<string | null>(null)
  const here = useRef(path)
  useEffect(() => {
    here.current = path
  }, [path])

  useEffect(() => {
    if (!unsaved) return
    const keepTab = (event: BeforeUnloadEvent) => event.preventDefault()
    blocksNavigation = (to) => {
      if (isSamePage(currentPath())) return false
      history.pushState(null, '', address(here.current)) // the address has changed already
      setDestination(to)
      return true
    }
    const keepPage = (event: MouseEvent) => {
      const to = destinationOf(event)
      if (to === null || isSamePage(new URL(to, location.origin).pathname)) return
      event.preventDefault()
      event.stopPropagation() // before the link handles the click
      setDestination(to)
    }
    addEventListener('click', keepPage, { capture: true })
    addEventListener('beforeunload', keepTab)
    return () => {
      blocksNavigation = null
      removeEventListener('click', keepPage, { capture: true })
      removeEventListener('beforeunload', keepTab)
    }
  }, [unsaved, isSamePage])

  return {
    destination,
    leave: (to) => (unsaved ? setDestination(to) : navigate(to)),
    confirm: () => destination !== null && navigate(destination),
    stay: () => setDestination(null),
  }
}

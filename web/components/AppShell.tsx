import { type ReactNode, Suspense, useEffect, useRef } from 'react'
import { Router, useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import { address } from '../lib/address.ts'
import { start } from '../start.ts'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { Layout } from './Layout.tsx'
import { PageSkeleton } from './PageSkeleton.tsx'

/**
 * Works around the router, which decodes a query twice: a folder called `100%25` would not be
 * found.
 */
const useEncodedSearch: typeof useSearch = (options) => useSearch(options).replaceAll('%', '%25')

interface Props {
  /** The path and query to render on the server. */
  ssrPath?: string
  /** The page of the path. */
  children: ReactNode
}

/** Renders the header, the page and the footer. The browser and the server render the same. */
export function AppShell({ ssrPath, children }: Props) {
  return (
    <Router base={start.basePath} searchHook={useEncodedSearch} {...(ssrPath && { ssrPath: address(ssrPath) })}>
      <Layout>
        <PageChange />
        <ErrorBoundary>
          <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
        </ErrorBoundary>
      </Layout>
    </Router>
  )
}

/**
 * Scrolls a new page to its top and moves the focus to its content, as browsers do when they load a
 * page.
 */
function PageChange() {
  const [path] = useLocation()
  const first = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at each change of the path
  useEffect(() => {
    if (!first.current) {
      scrollTo(0, 0)
      document.getElementById('content')?.focus({ preventScroll: true })
    }
    first.current = false
  }, [path])
  return null
}

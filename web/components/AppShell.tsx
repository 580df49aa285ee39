import { type ReactNode, Suspense, useEffect, useRef } from 'react'
import { Router, useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { Layout } from './Layout.tsx'
import { PageSkeleton } from './PageSkeleton.tsx'

/** The router decodes a query once more than it should: a folder called `100%25` would not be found, nor the way back to it. */
const useWholeSearch: typeof useSearch = (options) => useSearch(options).replaceAll('%', '%25')

interface Props {
  /** On the server: the path and query that are rendered. */
  ssrPath?: string
  /** The page that the path names. */
  children: ReactNode
}

/** The header, the footer and the page between them. The browser and the server render the same. */
export function AppShell({ ssrPath, children }: Props) {
  return (
    <Router searchHook={useWholeSearch} {...(ssrPath && { ssrPath })}>
      <Layout>
        <Arrival />
        <ErrorBoundary>
          <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
        </ErrorBoundary>
      </Layout>
    </Router>
  )
}

/** Does what a browser does on a new page: starts at its top, and lets screen readers and the keyboard start at its content. */
function Arrival() {
  const [path] = useLocation()
  const first = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each change of the path
  useEffect(() => {
    if (!first.current) {
      scrollTo(0, 0)
      document.getElementById('content')?.focus({ preventScroll: true })
    }
    first.current = false
  }, [path])
  return null
}

import { type ComponentType, lazy, Suspense, useEffect, useRef } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { detour } from './access.ts'
import { ErrorBoundary } from './components/ErrorBoundary.tsx'
import { Layout } from './components/Layout.tsx'
import { PageSkeleton } from './components/PageSkeleton.tsx'
import './leave-guard.ts' // before the router
import { pages } from './routes.ts'

const modules = import.meta.glob<Record<string, ComponentType>>('./pages/*/*Page.tsx')
const routes = Object.entries(pages).map(([path, { module, access }]) => ({ path, access, Page: lazyPage(module) }))
const NotFoundPage = lazyPage('error/NotFoundPage')

function lazyPage(module: string) {
  const load = modules[`./pages/${module}.tsx`]!
  const name = module.split('/').at(-1)!
  return lazy(async () => ({ default: (await load())[name]! }))
}

export function App() {
  return (
    <Layout>
      <Arrival />
      <ErrorBoundary>
        <Suspense fallback={<PageSkeleton />}>
          <Switch>
            {routes.map(({ path, access, Page }) => (
              <Route key={path} path={path}>
                <Guarded access={access} Page={Page} />
              </Route>
            ))}
            <Route>
              <NotFoundPage />
            </Route>
          </Switch>
        </Suspense>
      </ErrorBoundary>
    </Layout>
  )
}

function Guarded({ access, Page }: { access: Parameters<typeof detour>[0]; Page: ComponentType }) {
  const elsewhere = detour(access)
  return elsewhere ? <Redirect to={elsewhere} replace /> : <Page />
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

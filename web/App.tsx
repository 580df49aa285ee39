import { type ComponentType, lazy } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { AppShell } from './components/AppShell.tsx'
import { detour } from './lib/access.ts'
import './lib/leave-guard.ts' // before the router
import { pages } from './routes.ts'
import { start } from './start.ts'

const modules = import.meta.glob<Record<string, ComponentType>>('./pages/*/*Page.tsx')
const routes = Object.entries(pages).map(([path, { module, access }]) => ({ path, access, Page: lazyPage(module) }))
const NotFoundPage = lazyPage('error/NotFoundPage')

/** The page that was asked for, by its module. */
const first = new Map<string, ComponentType>()

async function load(module: string): Promise<ComponentType> {
  return (await modules[`./pages/${module}.tsx`]!())[module.split('/').at(-1)!]!
}

function lazyPage(module: string): ComponentType {
  const Later = lazy(async () => ({ default: await load(module) }))
  return () => {
    const Page = first.get(module) ?? Later
    return <Page />
  }
}

/** Loads the page that was asked for, so that the application is first shown with it: React leaves what stands in for a late one there for 300 ms. */
export async function loadFirstPage(): Promise<void> {
  const module = start.page === null ? 'error/NotFoundPage' : pages[start.page as keyof typeof pages].module
  const page = await load(module).catch((error) => {
    if (!document.querySelector('main[aria-busy]')) throw error // what can be used stays
    return null // what is wrong is said where the page would be, when it is loaded again for there
  })
  if (page) first.set(module, page)
}

export function App() {
  return (
    <AppShell>
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
    </AppShell>
  )
}

function Guarded({ access, Page }: { access: Parameters<typeof detour>[0]; Page: ComponentType }) {
  const elsewhere = detour(access)
  return elsewhere ? <Redirect to={elsewhere} replace /> : <Page />
}

import { type ComponentType, lazy } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { AppShell } from './components/AppShell.tsx'
import { StrayFiles } from './components/StrayFiles.tsx'
import { loadAdminMessages } from './i18n.ts'
import { accessRedirect } from './lib/access.ts'
import './lib/leave-guard.ts' // must listen before the router
import { pages } from './routes.ts'
import { start } from './start.ts'

const modules = import.meta.glob<Record<string, ComponentType>>('./pages/*/*Page.tsx')
const routes = Object.entries(pages).map(([path, { module, access }]) => ({ path, access, Page: lazyPage(module) }))
const NotFoundPage = lazyPage('error/NotFoundPage')

/** The component of the first page by its module. */
const preloaded = new Map<string, ComponentType>()

async function load(module: string): Promise<ComponentType> {
  const [folder, name = ''] = module.split('/')
  const [exported] = await Promise.all([modules[`./pages/${module}.tsx`]?.(), folder === 'admin' && loadAdminMessages()])
  const page = exported?.[name]
  if (!page) throw new Error(`There is no page ${module}`)
  return page
}

function lazyPage(module: string): ComponentType {
  const Lazy = lazy(async () => ({ default: await load(module) }))
  return () => {
    const Page = preloaded.get(module) ?? Lazy
    return <Page />
  }
}

/**
 * Loads the first page before the application is rendered. Otherwise React would show a placeholder
 * for at least 300 ms.
 */
export async function loadFirstPage(): Promise<void> {
  const module = start.page === null ? 'error/NotFoundPage' : pages[start.page as keyof typeof pages].module
  const page = await load(module).catch((error) => {
    if (!document.querySelector('main[aria-busy]')) throw error // the server-rendered page stays usable
    return null // the router loads it again and shows the error in place of the page
  })
  if (page) preloaded.set(module, page)
}

export function App() {
  return (
    <>
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
      <StrayFiles />
    </>
  )
}

function Guarded({ access, Page }: { access: Parameters<typeof accessRedirect>[0]; Page: ComponentType }) {
  const redirect = accessRedirect(access)
  return redirect ? <Redirect to={redirect} replace /> : <Page />
}

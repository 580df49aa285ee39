import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { ConfigProvider } from 'antd'
import { type ReactNode, StrictMode, useMemo } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { ApiError } from './api.ts'
import { Unavailable } from './components/Unavailable.tsx'
import { loadMessages } from './i18n.ts'
import { NotifyProvider } from './notify.tsx'
import { keepSession, resumeSession } from './session.ts'
import { start } from './start.ts'
import './styles.css'
import { antTheme, storePreference, useColorScheme } from './theme.ts'

const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')!.nonce
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
})

function Themed({ children }: { children: ReactNode }) {
  const { shown } = useColorScheme()
  const theme = useMemo(() => antTheme(shown), [shown])
  return (
    <ConfigProvider theme={theme} direction={start.direction} csp={{ nonce }} modal={{ mask: { blur: false } }}>
      {children}
    </ConfigProvider>
  )
}

/** A new version has replaced the files that this page would load next. */
window.addEventListener('vite:preloadError', () => {
  const last = Number(sessionStorage.getItem('reloadedAt'))
  if (Date.now() - last < 10_000) return
  sessionStorage.setItem('reloadedAt', String(Date.now()))
  location.reload()
})

if (!document.cookie.includes(`language=${start.language}`)) storePreference('language', start.language)
await Promise.all([loadMessages(), resumeSession()])
keepSession()

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Themed>
        <NotifyProvider>{start.settings ? <App /> : <Unavailable />}</NotifyProvider>
      </Themed>
    </QueryClientProvider>
  </StrictMode>,
)

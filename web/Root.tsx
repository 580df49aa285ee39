import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { ConfigProvider, type ConfigProviderProps } from 'antd'
import { type ReactNode, StrictMode, useMemo } from 'react'
import { App } from './App.tsx'
import { ApiError } from './api.ts'
import { NotifyProvider } from './components/NotifyProvider.tsx'
import { Unavailable } from './components/Unavailable.tsx'
import { useColorScheme } from './lib/color-scheme.ts'
import { Hydration } from './lib/hydration.tsx'
import { start } from './start.ts'
import { antTheme } from './theme.ts'

const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')!.nonce
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
})

interface Props {
  antdLocale: ConfigProviderProps['locale']
  /** Whether the page was rendered by `server/share-page.tsx`. */
  hydrates: boolean
}

/** The application with its providers. */
export function Root({ antdLocale, hydrates }: Props) {
  const app = start.settings ? <App /> : <Unavailable />
  return (
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Themed antdLocale={antdLocale}>
          <NotifyProvider>{hydrates ? <Hydration>{app}</Hydration> : app}</NotifyProvider>
        </Themed>
      </QueryClientProvider>
    </StrictMode>
  )
}

function Themed({ antdLocale, children }: { antdLocale: ConfigProviderProps['locale']; children: ReactNode }) {
  const { shown } = useColorScheme()
  const theme = useMemo(() => antTheme(shown), [shown])
  return (
    <ConfigProvider
      locale={antdLocale}
      theme={theme}
      direction={start.direction}
      csp={{ nonce }}
      button={{ autoInsertSpace: false, loadingIcon: <span className="spinner" /> }} // antd's own may stay after a fast response
      modal={{ centered: true }}
    >
      {children}
    </ConfigProvider>
  )
}

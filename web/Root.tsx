import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { ConfigProvider, type ConfigProviderProps } from 'antd'
import { type ReactNode, StrictMode, useMemo } from 'react'
import { App } from './App.tsx'
import { ApiError } from './api.ts'
import { Unavailable } from './components/Unavailable.tsx'
import { NotifyProvider } from './notify.tsx'
import { start } from './start.ts'
import { antTheme, useColorScheme } from './theme.ts'

const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')!.nonce
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
})

/** The application with what surrounds it. */
export function Root({ antdLocale }: { antdLocale: ConfigProviderProps['locale'] }) {
  return (
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Themed antdLocale={antdLocale}>
          <NotifyProvider>{start.settings ? <App /> : <Unavailable />}</NotifyProvider>
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
      button={{ autoInsertSpace: false }}
      modal={{ centered: true }}
    >
      {children}
    </ConfigProvider>
  )
}

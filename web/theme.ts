import { type ThemeConfig, theme } from 'antd'
import { useSyncExternalStore } from 'react'
import type { ColorScheme } from '../src/http/page-html.ts'
import { start } from './start.ts'

const page = document.documentElement
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
const bars = document.head.appendChild(Object.assign(document.createElement('meta'), { name: 'theme-color' }))
let chosen: ColorScheme = start.colorScheme

system.addEventListener('change', apply)
colorBars()

/** Chooses the colour scheme for a year and shows it at once. */
export function chooseColorScheme(scheme: ColorScheme): void {
  chosen = scheme
  storePreference('color_scheme', scheme)
  apply()
}

/** Keeps a preference where the server sees it at the next page. */
export function storePreference(name: 'color_scheme' | 'language', value: string): void {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API exists in secure contexts only
  document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=lax${secure}`
}

/** What was chosen, and what is shown: they differ for `system`. */
export function useColorScheme(): { chosen: ColorScheme; shown: 'light' | 'dark' } {
  const shown = useSyncExternalStore(subscribe, () => page.dataset.theme as 'light' | 'dark')
  useSyncExternalStore(subscribe, () => chosen)
  return { chosen, shown }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function apply(): void {
  page.dataset.theme = chosen === 'system' ? (system.matches ? 'dark' : 'light') : chosen
  colorBars()
  for (const listener of listeners) listener()
}

/** The bars of the browser, or of the system around the installed application, have the colour of the page. */
function colorBars(): void {
  bars.content = getComputedStyle(page).getPropertyValue('--paper').trim()
}

/** Ant Design's theme from the colours in styles.css, which are the only ones. */
export function antTheme(scheme: 'light' | 'dark'): ThemeConfig {
  const color = (name: string) => getComputedStyle(page).getPropertyValue(`--${name}`).trim()
  const primary = color('primary')
  return {
    zeroRuntime: true, // the styles are in antd.css
    algorithm: [
      scheme === 'dark' ? theme.darkAlgorithm : theme.defaultAlgorithm,
      (_seed, tokens) => ({
        ...tokens!,
        colorPrimary: primary,
        colorPrimaryHover: color('primary-hover'),
        colorPrimaryActive: color('primary-active'),
        colorError: color('danger'),
        colorErrorText: color('danger'),
      }),
    ],
    token: {
      colorPrimary: primary,
      colorInfo: primary,
      colorLink: color('link'),
      colorError: color('danger'),
      colorTextBase: color('ink'),
      colorBgBase: color('surface'),
      colorBgContainer: color('surface'),
      colorBgElevated: color('raised'),
      colorBgLayout: color('paper'),
      colorBorder: color('field-line'),
      colorBorderSecondary: color('line'),
      colorTextDescription: color('ink-soft'),
      colorTextPlaceholder: color('ink-soft'),
      fontFamily: 'inherit',
      fontSize: 15,
      borderRadius: 10,
      controlHeight: 42,
      controlHeightLG: 48,
      motion: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    },
    components: {
      Button: {
        fontWeight: 550,
        primaryShadow: 'none',
        defaultShadow: 'none',
        dangerShadow: 'none',
        dangerColor: color('on-danger'),
        defaultHoverColor: color('link'), // a primary colour is made for what is written on it, not for writing with it
        defaultActiveColor: color('link'),
      },
      Modal: { borderRadiusLG: 18, titleFontSize: 19, paddingContentHorizontalLG: 28 },
      Notification: { width: 360 },
    },
  }
}

import type { ThemeConfig } from 'antd'
import { useSyncExternalStore } from 'react'
import type { ColorScheme } from '../src/http/page-html.ts'
import { antdTokens } from './antd-tokens.ts'
import { storePreference } from './preferences.ts'
import { start } from './start.ts'

const page = document.documentElement
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
const bars = document.head.appendChild(Object.assign(document.createElement('meta'), { name: 'theme-color' }))
let chosen: ColorScheme = start.colorScheme

system.addEventListener('change', apply)
setTimeout(colorBars) // it reads a style: at once, that would keep the application waiting for all of them

/** Chooses the colour scheme for a year and shows it at once. */
export function chooseColorScheme(scheme: ColorScheme): void {
  chosen = scheme
  storePreference('color_scheme', scheme)
  apply()
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

/** Ant Design's theme. Its styles and tokens are made when the pages are built. */
export function antTheme(scheme: 'light' | 'dark'): ThemeConfig {
  const { derived, token, components } = antdTokens[scheme]
  const motion = !matchMedia('(prefers-reduced-motion: reduce)').matches
  return { zeroRuntime: true, hashed: false, algorithm: () => ({ ...derived, motion }), token, components }
}

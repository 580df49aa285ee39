import { useSyncExternalStore } from 'react'
import type { ColorScheme } from '../../src/pages/page-html.ts'
import { start } from '../start.ts'
import { storePreference } from './preferences.ts'

const listeners = new Set<() => void>()
let chosenHere: ColorScheme | null = null
let bars: HTMLMetaElement | undefined

/** Follows the system's color scheme where none was chosen. To be called once, before anything is shown. */
export function followColorScheme(): void {
  bars = document.head.appendChild(Object.assign(document.createElement('meta'), { name: 'theme-color' }))
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply)
  setTimeout(colorBars) // it reads a style: at once, that would keep the application waiting for all of them
}

/** Chooses the color scheme for a year and shows it at once. */
export function chooseColorScheme(scheme: ColorScheme): void {
  chosenHere = scheme
  storePreference('color_scheme', scheme)
  apply()
}

/** Returns what was chosen, and what is shown: they differ for `system`, which the server takes for light. */
export function useColorScheme(): { chosen: ColorScheme; shown: 'light' | 'dark' } {
  const shown = useSyncExternalStore(subscribe, shownScheme, () => (start.colorScheme === 'dark' ? 'dark' : 'light'))
  const chosen = useSyncExternalStore(subscribe, chosenScheme, chosenScheme)
  return { chosen, shown }
}

const chosenScheme = () => chosenHere ?? start.colorScheme
const shownScheme = () => document.documentElement.dataset.theme as 'light' | 'dark'

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function apply(): void {
  const chosen = chosenScheme()
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  document.documentElement.dataset.theme = chosen === 'system' ? system : chosen
  colorBars()
  for (const listener of listeners) listener()
}

/** The bars of the browser, or of the system around the installed application, have the color of the page. */
function colorBars(): void {
  if (bars) bars.content = getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()
}

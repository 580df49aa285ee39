import { useSyncExternalStore } from 'react'
import type { ColorScheme } from '../../src/pages/page-html.ts'
import { start } from '../start.ts'
import { storePreference } from './preferences.ts'

const listeners = new Set<() => void>()
let chosenHere: ColorScheme | null = null
let themeColor: HTMLMetaElement | undefined

/**
 * Follows the system's color scheme if none was chosen. Must be called once, before anything is
 * shown.
 */
export function followColorScheme(): void {
  themeColor = document.head.appendChild(Object.assign(document.createElement('meta'), { name: 'theme-color' }))
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply)
  setTimeout(updateThemeColor) // reads a computed style, which would delay the application if done now
}

/** Stores the color scheme for a year and applies it. */
export function chooseColorScheme(scheme: ColorScheme): void {
  chosenHere = scheme
  storePreference('color_scheme', scheme)
  apply()
}

/**
 * Returns the chosen and the shown color scheme, which differ for `system`. Components that the
 * server renders must not use it, because only the browser knows the system's scheme.
 */
export function useColorScheme(): { chosen: ColorScheme; shown: 'light' | 'dark' } {
  const shown = useSyncExternalStore(subscribe, shownScheme, shownScheme)
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
  updateThemeColor()
  for (const listener of listeners) listener()
}

/**
 * Gives the bars of the browser, or of the system around the installed application, the color of
 * the page.
 */
function updateThemeColor(): void {
  if (themeColor) themeColor.content = getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()
}

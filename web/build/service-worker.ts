import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { InlineConfig } from 'vite'
import type { BuiltSite } from '../../src/pages/site.ts'
import type { Locale } from './languages.ts'

const folderOfWorker = join(dirname(import.meta.dirname), 'service-worker')

/** Builds the service worker of a built site into its folder as one file, `service-worker.js`. It differs whenever something that it keeps does. */
export function serviceWorkerInto(folder: string, { languages }: BuiltSite, locales: Locale[]): InlineConfig {
  const ofLanguages = new Set(languages.flatMap(({ scripts }) => scripts)) // a page has loaded its own by then
  const assets = globSync('assets/*.{js,css}', { cwd: folder }).map((file) => `/${file}`)
  const kept = { assets: assets.filter((address) => !ofLanguages.has(address)).sort(), offlinePage: offlinePage(locales) }
  const version = createHash('sha256').update(JSON.stringify(kept)).digest('base64url').slice(0, 16)
  const output = { entryFileNames: 'service-worker.js', format: 'iife', codeSplitting: false } as const
  return {
    root: folderOfWorker,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: { built: JSON.stringify({ version, ...kept }) },
    build: {
      outDir: folder,
      emptyOutDir: false,
      modulePreload: false,
      rolldownOptions: { input: join(folderOfWorker, 'main.ts'), output },
    },
  }
}

/** The page that is shown offline, in every language: it chooses by the cookie when it is shown. */
function offlinePage(locales: Locale[]): string {
  const keys = ['offline.noConnection', 'offline.text', 'common.retry', 'language.direction']
  const texts = Object.fromEntries(locales.map(({ code, messages }) => [code, keys.map((key) => messages[key] ?? '')]))
  const html = readFileSync(join(folderOfWorker, 'offline.html'), 'utf8').replace(/\n\s*/g, '\n')
  return html.replace('__texts__', () => JSON.stringify(texts).replaceAll('&', '&amp;').replaceAll('"', '&quot;'))
}

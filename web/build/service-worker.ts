import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { InlineConfig } from 'vite'
import type { BuiltSite } from '../../src/pages/site.ts'
import type { Locale } from './languages.ts'

const workerFolder = join(dirname(import.meta.dirname), 'service-worker')

/**
 * Returns the build of `service-worker.js` for a built site. The file changes whenever one of its
 * cached files does.
 */
export function serviceWorkerInto(folder: string, { languages }: BuiltSite, locales: Locale[]): InlineConfig {
  const languageScripts = new Set(languages.flatMap(({ scripts }) => scripts)) // a page has already loaded those of its language
  const assets = globSync('assets/*.{js,css}', { cwd: folder }).map((file) => `/${file}`)
  const cached = { assets: assets.filter((address) => !languageScripts.has(address)).sort(), offlinePage: offlinePage(locales) }
  const version = createHash('sha256').update(JSON.stringify(cached)).digest('base64url').slice(0, 16)
  const output = { entryFileNames: 'service-worker.js', format: 'iife', codeSplitting: false } as const
  return {
    root: workerFolder,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: { built: JSON.stringify({ version, ...cached }) },
    build: {
      outDir: folder,
      emptyOutDir: false,
      modulePreload: false,
      rolldownOptions: { input: join(workerFolder, 'main.ts'), output },
    },
  }
}

/**
 * Returns the offline page with its texts in every language; it selects the language of the cookie
 * when it is shown.
 */
function offlinePage(locales: Locale[]): string {
  const keys = ['offline.noConnection', 'offline.text', 'common.retry', 'language.direction']
  const texts = Object.fromEntries(locales.map(({ code, messages }) => [code, keys.map((key) => messages[key] ?? '')]))
  const html = readFileSync(join(workerFolder, 'offline.html'), 'utf8').replace(/\n\s*/g, '\n')
  return html.replace('__texts__', () => JSON.stringify(texts).replaceAll('&', '&amp;').replaceAll('"', '&quot;'))
}

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import i18next, { type i18n } from 'i18next'
import { renderToString } from 'react-dom/server'
import { I18nextProvider } from 'react-i18next'
import { Route } from 'wouter'
import type { StartData } from '../../src/contract.ts'
import type { GrantedShare } from '../../src/downloads/contract.ts'
import type { PrerenderedPage } from '../../src/pages/site.ts'
import { AppShell } from '../components/AppShell.tsx'
import { Hydration } from '../lib/hydration.tsx'
import { optionsOf } from '../lib/i18n-options.ts'
import { setIntlLocale } from '../lib/intl-locale.ts'
import { folderPath } from '../lib/share-addresses.ts'
import { listFolder, VIRTUALIZE_FROM } from '../pages/share/folders.ts'
import { SharePage } from '../pages/share/SharePage.tsx'
import { setStart, start } from '../start.ts'

const messages = import.meta.glob<Record<string, string>>('../../locales/*.json', { import: 'default' })
const loaded = new Map<string, Promise<i18n>>()

/**
 * Renders the page of a share for the browser to hydrate; null if the visitor may not see the share
 * yet, or only the browser can decrypt it.
 */
export async function renderSharePage(data: StartData): Promise<PrerenderedPage | null> {
  const { share, language } = data
  if (share?.access !== 'granted' || share.share.encrypted) return null
  const texts = loaded.get(language) ?? loadTexts(language)
  loaded.set(language, texts)
  const i18n = await texts
  const path = folderPath(share.share.id, share.folder)
  setStart(data) // nothing below waits, so no other page is rendered at the same time
  setIntlLocale(i18n.t('language.intl', { defaultValue: language }))
  const html = renderToString(<App i18n={i18n} path={path} />)
  return { html, isComplete: countRows(share) <= VIRTUALIZE_FROM }
}

function countRows({ share: { files, overview }, folder }: GrantedShare): number {
  if (overview) return overview.fileCount
  return files.length <= VIRTUALIZE_FROM
    ? files.length
    : listFolder(files, folder, { by: 'name', descending: false }, start.language).length
}

/**
 * The application of Root.tsx without antd. Server-rendered components must not use `useId`,
 * because antd's components shift its IDs.
 */
function App({ i18n, path }: { i18n: i18n; path: string }) {
  return (
    <QueryClientProvider client={new QueryClient()}>
      <I18nextProvider i18n={i18n}>
        <Hydration>
          <AppShell ssrPath={path}>
            <Route path="/share/:id">
              <SharePage />
            </Route>
          </AppShell>
        </Hydration>
      </I18nextProvider>
    </QueryClientProvider>
  )
}

async function loadTexts(language: string): Promise<i18n> {
  const load = messages[`../../locales/${language}.json`]
  if (!load) throw new Error(`There are no texts for the language ${language}.`)
  const texts = await load()
  const instance = i18next.createInstance()
  await instance.init(optionsOf(language, texts))
  return instance
}

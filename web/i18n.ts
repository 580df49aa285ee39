import type { ConfigProviderProps } from 'antd'
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { antdLocaleFile } from './lib/antd-locale-file.ts'
import { optionsOf } from './lib/i18n-options.ts'
import { setIntlLocale } from './lib/intl-locale.ts'
import { start } from './start.ts'

type AntdLocale = NonNullable<ConfigProviderProps['locale']>

const messages = import.meta.glob<Record<string, string>>('../locales/*.json', { import: 'default' })
const adminMessages = import.meta.glob<Record<string, string>>('../locales/*.json', { import: 'default', query: '?admin' })
const antdLocales = import.meta.glob<AntdLocale>(
  '../node_modules/antd/es/locale/{ar_EG,cs_CZ,da_DK,de_DE,el_GR,en_US,es_ES,fi_FI,fr_FR,hu_HU,it_IT,ja_JP,ko_KR,nl_BE,pl_PL,pt_BR,ru_RU,sl_SI,sr_RS,sv_SE,th_TH,tr_TR,uk_UA,zh_CN,zh_TW}.js',
  { import: 'default' },
)

const loaded = Promise.withResolvers<void>()

/** Loads the messages of the page's language and returns Ant Design's own locale. */
export async function loadMessages(): Promise<AntdLocale> {
  const [translation, antdLocale] = await Promise.all([
    load(messages, `../locales/${start.language}.json`),
    load(antdLocales, `../${antdLocaleFile(start.language)}`),
  ])
  setIntlLocale(translation['language.intl'] ?? start.language)
  await i18next.use(initReactI18next).init(optionsOf(start.language, translation))
  loaded.resolve()
  return antdLocale
}

/** Adds the messages of the administration, which other pages do not need. */
export async function loadAdminMessages(): Promise<void> {
  const [translation] = await Promise.all([load(adminMessages, `../locales/${start.language}.json`), loaded.promise])
  i18next.addResources(start.language, 'translation', translation)
}

function load<T>(modules: Record<string, () => Promise<T>>, path: string): Promise<T> {
  const module = modules[path]
  if (!module) throw new Error(`${path} is missing from the build`)
  return module()
}

import i18next, { type TFunction } from 'i18next'
import type { StartData } from '../../src/contract.ts'
import type { BuiltLanguage, FirstSight } from '../../src/http/site.ts'
import { optionsOf } from '../i18n-options.ts'
import { showIn } from '../intl-locale.ts'
import { html } from './html.ts'
import { share } from './share.ts'

const translators = new WeakMap<BuiltLanguage, TFunction>()

/**
 * What is seen of a page before the application has come, where it can be told; it stands where it will stay. Runs on the server, without waiting for
 * anything: how numbers are shown is chosen for one page at a time. The heading of signing in is that of what was asked for: who may not see it is led
 * elsewhere by the application. All other pages show lines without words; that of uploading would ask for files before anything takes them.
 */
export function drawPage(start: StartData, language: BuiltLanguage): FirstSight | null {
  const t = translatorOf(language)
  showIn(language.texts['language.intl'] ?? language.code)
  if (start.opened) return share(start.opened, start.user, t, language.code)
  if (start.page === '/auth/signIn') return { html: authCard(t('auth.signInTitle')), usable: false, whole: false }
  if (start.page === '/auth/signUp') return { html: authCard(t('auth.signUpTitle')), usable: false, whole: false }
  return null
}

function authCard(title: string): string {
  return html`<section class="auth perch card"><h1>${title}</h1><div class="skeleton"><div class="skeleton-block"></div></div></section>`
    .source
}

function translatorOf(language: BuiltLanguage): TFunction {
  const known = translators.get(language)
  if (known) return known
  const instance = i18next.createInstance()
  void instance.init({ ...optionsOf(language.code, language.texts), initAsync: false })
  translators.set(language, instance.t)
  return instance.t
}

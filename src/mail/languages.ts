import { defaultTexts, languages } from './default-texts.ts'
import type { MailTexts, SiteTexts } from './templates.ts'

/** A user who gets emails. */
export interface Reader {
  /** The language that the user has chosen, if any. */
  language: string | null
}

/** Returns the language of emails to a user: the chosen one, if it is still available, or the site's. */
export function languageOf({ 'general.language': siteLanguage }: Pick<SiteTexts, 'general.language'>, { language }: Reader): string {
  return language !== null && languages().includes(language) ? language : siteLanguage
}

/**
 * Returns the templates in the language of a user. Those that an administrator has changed stay as
 * they are.
 */
export function textsFor(texts: SiteTexts, reader: Reader): SiteTexts {
  const language = languageOf(texts, reader)
  const [siteDefaults, defaults] = [defaultTexts(texts['general.language']), defaultTexts(language)]
  const keys = Object.keys(defaults) as (keyof MailTexts)[]
  const own = keys.map((key) => [key, texts[key] === siteDefaults[key] ? defaults[key] : texts[key]] as const)
  return { ...(Object.fromEntries(own) as MailTexts), 'general.language': language }
}

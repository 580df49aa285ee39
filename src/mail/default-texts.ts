import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MailTexts } from './templates.ts'

const folder = join(import.meta.dirname, '../../locales')
const kept = new Map<string, Record<string, string>>()

/** The languages that there are texts in, as BCP 47 codes. */
export const languages = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length))

/** What the e-mails say in a language until an administrator changes it. */
export function defaultTexts(language: string): MailTexts {
  const texts = wordsIn(language)
  const textOf = (name: string) => texts[`mail.${name}`] ?? ''
  return {
    'email.shareRecipientsSubject': textOf('shareRecipientsSubject'),
    'email.shareRecipientsMessage': textOf('shareRecipientsMessage'),
    'email.reverseShareSubject': textOf('reverseShareSubject'),
    'email.reverseShareMessage': textOf('reverseShareMessage'),
    'email.resetPasswordSubject': textOf('resetPasswordSubject'),
    'email.resetPasswordMessage': textOf('resetPasswordMessage'),
    'email.inviteSubject': textOf('inviteSubject'),
    'email.inviteMessage': textOf('inviteMessage'),
  }
}

/** What stands for a variable that says nothing, in a language. */
export function placeholderFor(language: string, variable: string): string {
  return wordsIn(language)[`mail.${variable}`] ?? ''
}

/** The tag by which Intl formats for a language: of Serbian, for one, in the letters of our texts. */
export function intlTag(language: string): string {
  return wordsIn(language)['language.intl'] ?? language
}

/** The texts of a language; English for one that there are none in. */
function wordsIn(language: string): Record<string, string> {
  const code = languages.includes(language) ? language : 'en-US'
  const known = kept.get(code)
  if (known) return known
  const texts = JSON.parse(readFileSync(join(folder, `${code}.json`), 'utf8')) as Record<string, string>
  const mail = Object.fromEntries(Object.entries(texts).filter(([key]) => /^(mail|language)\./.test(key)))
  kept.set(code, mail)
  return mail
}

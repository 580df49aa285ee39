import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MailTexts } from './templates.ts'

const folder = join(import.meta.dirname, '../../locales')
/** The texts that emails and names of downloads are made of. */
const used = /^(mail|language)\.|^activity\.handedOver$|^share\.(title|titleFrom|text|textFrom|andMore_\w+|files_\w+)$/
const textsByLanguage = new Map<string, Record<string, string>>()
let available: readonly string[] | undefined

/**
 * Returns the BCP 47 codes of the available languages. Reads the folder `locales` on the first
 * call.
 */
export function languages(): readonly string[] {
  available ??= readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
  return available
}

/** Returns the email templates of a language that are used until an administrator changes them. */
export function defaultTexts(language: string): MailTexts {
  const texts = textsIn(language)
  const text = (name: string) => texts[`mail.${name}`] ?? ''
  return {
    'email.shareRecipientsSubject': text('shareRecipientsSubject'),
    'email.shareRecipientsMessage': text('shareRecipientsMessage'),
    'email.reverseShareSubject': text('reverseShareSubject'),
    'email.reverseShareMessage': text('reverseShareMessage'),
    'email.resetPasswordSubject': text('resetPasswordSubject'),
    'email.resetPasswordMessage': text('resetPasswordMessage'),
    'email.inviteSubject': text('inviteSubject'),
    'email.inviteMessage': text('inviteMessage'),
  }
}

/** Returns the text that replaces a template variable without a value. */
export function placeholderFor(language: string, variable: string): string {
  return textsIn(language)[`mail.${variable}`] ?? ''
}

/** Returns a text of a share in a language, such as `titleFrom`, with its variables filled in. */
export function shareText(language: string, name: string, values: Record<string, string> = {}): string {
  return fill(textsIn(language)[`share.${name}`] ?? textsIn('en-US')[`share.${name}`] ?? '', values)
}

/** Returns a text of a share like `shareText`, in the plural form for a number, its `{count}`. */
export function countedShareText(language: string, name: string, count: number, values: Record<string, string> = {}): string {
  const form = (language: string) => `share.${name}_${new Intl.PluralRules(intlTag(language)).select(count)}`
  const text = textsIn(language)[form(language)] ?? textsIn('en-US')[form('en-US')] ?? ''
  return fill(text, { ...values, count: new Intl.NumberFormat(intlTag(language)).format(count) })
}

/** Returns the text about a file that was handed out to a visitor. */
export function handedOutText(language: string, name: string): string {
  return fill(textsIn(language)['activity.handedOver'] ?? textsIn('en-US')['activity.handedOver'] ?? '', { name })
}

/** Replaces all variables in one pass, so a variable's value is never treated as a template. */
export function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? placeholder) : placeholder,
  )
}

/**
 * Returns the locale for `Intl`, which can name a script too: Serbian is formatted in the script of
 * its texts.
 */
export function intlTag(language: string): string {
  return textsIn(language)['language.intl'] ?? language
}

/** Returns the texts of a language, or the English ones if it isn't available. */
function textsIn(language: string): Record<string, string> {
  const code = languages().includes(language) ? language : 'en-US'
  const cached = textsByLanguage.get(code)
  if (cached) return cached
  const all = JSON.parse(readFileSync(join(folder, `${code}.json`), 'utf8')) as Record<string, string>
  const texts = Object.fromEntries(Object.entries(all).filter(([key]) => used.test(key)))
  textsByLanguage.set(code, texts)
  return texts
}

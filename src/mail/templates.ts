import { showInvisible } from '../invisible-characters.ts'
import { intlTag, placeholderFor } from './default-texts.ts'

/** What each kind of e-mail tells; a template may name each of them in braces, and `{email}` for the recipient. */
export interface MailVariables {
  /** `expires` null: never. */
  shareRecipients: { creator: string | null; creatorEmail?: string | null; shareUrl: string; desc: string | null; expires: Date | null }
  reverseShare: { shareUrl: string }
  resetPassword: { url: string }
  /** `password` where one was made up for the user. */
  invite: { url: string; password?: string }
}
export type MailKind = keyof MailVariables

/** The settings that hold the templates. */
export type MailTexts = { [K in MailKind as `email.${K}Subject` | `email.${K}Message`]: string }
/** The templates, and the language that they are in. */
export type SiteTexts = MailTexts & { 'general.language': string }

export interface MailTo<K extends MailKind = MailKind> {
  to: string
  kind: K
  variables: MailVariables[K]
}

/** A change of an account that its user is told about. */
export type Notice =
  | 'email_changed'
  | 'username_changed'
  | 'password_changed'
  | 'totp_enabled'
  | 'totp_disabled'
  | 'recovery_codes_renewed'
  | 'passkey_added'
  | 'passkey_deleted'
  | 'social_linked'
  | 'social_unlinked'
  | 'api_token_created'

interface NoticeDetails {
  app: string
  username: string
  change: Notice
  time: Date
}

const subjectMax = 200 // characters

/** Fills a template in. The subject is one line whatever the variables hold; what a template does not know stays as it is. */
export function render<K extends MailKind>(texts: SiteTexts, { to, kind, variables }: MailTo<K>): { subject: string; text: string } {
  const values = { ...wordsOf(variables, texts['general.language']), email: to }
  const subject = fill(texts[`email.${kind}Subject`], values)
  const text = fill(texts[`email.${kind}Message`].replaceAll('\\n', '\n'), values) // templates of Pingvin Share write line breaks so
  return { subject: oneLine(subject).slice(0, subjectMax), text: text.replace(/\r\n?/g, '\n') }
}

/** Renders the email about a change of an account, in the language of the site. Administrators can't change its text. */
export function renderNotice(language: string, { change, ...details }: NoticeDetails): { subject: string; text: string } {
  const values = wordsOf({ ...details, change: placeholderFor(language, `notice.${change}`) }, language)
  const subject = fill(placeholderFor(language, 'noticeSubject'), values)
  return { subject: oneLine(subject).slice(0, subjectMax), text: fill(placeholderFor(language, 'noticeMessage'), values) }
}

/** Everything in one pass: what a variable holds is never a template itself. */
function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => (Object.hasOwn(values, name) ? values[name]! : placeholder))
}

function wordsOf(variables: object, language: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, said(value, language) || placeholderFor(language, name)]),
  )
}

function said(value: unknown, language: string): string {
  if (value instanceof Date) return `${timeIn(language, value)} UTC`
  return typeof value === 'string' ? showInvisible(value) : ''
}

function timeIn(language: string, time: Date): string {
  const options = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(intlTag(language), options).format(time)
}

/** Without line breaks or other control characters, which would begin another header (RFC 5322, 2.2). */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

import { showInvisible } from '../invisible-characters.ts'
import { fill, intlTag, placeholderFor } from './default-texts.ts'

/**
 * The variables of each kind of email. A template uses them in braces, and `{email}` for the
 * recipient.
 */
export interface MailVariables {
  /**
   * `expires` is null for a share that never expires. `title`, `files` and `size` are texts such as
   * `Offer`, `2 files` and `287 kB`.
   */
  shareRecipients: {
    creator: string | null
    creatorEmail?: string | null
    title: string
    files: string
    size: string
    shareUrl: string
    desc: string | null
    expires: Date | null
  }
  /** `creator` is the names of the senders. */
  reverseShare: { creator?: string | null; shareUrl: string }
  resetPassword: { url: string }
  /** `password` is set if one was generated for the user. */
  invite: { url: string; password?: string }
}
export type MailKind = keyof MailVariables

/** The templates, by their settings. */
export type MailTexts = { [K in MailKind as `email.${K}Subject` | `email.${K}Message`]: string }
/** The templates and their language. */
export type SiteTexts = MailTexts & { 'general.language': string }

export interface MailTo<K extends MailKind = MailKind> {
  to: string
  kind: K
  variables: MailVariables[K]
}

/** A change of an account that is reported to its user by email. */
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

/** A text for `storeMail`. */
export interface Rendered {
  subject: string
  text: string
  /** The language of the text, a BCP 47 code. */
  language: string
}

/** Fills in a template. The subject is always one line. Unknown variables stay as they are. */
export function render<K extends MailKind>(texts: SiteTexts, { to, kind, variables }: MailTo<K>): Rendered {
  const { 'general.language': language } = texts
  const values = { ...formatted(variables, language), email: to }
  const subject = fill(texts[`email.${kind}Subject`], values)
  const template = texts[`email.${kind}Message`].replaceAll('\\n', '\n') // Pingvin Share's templates contain a literal \n
  const hasNoMessage = 'desc' in variables && !variables.desc?.trim()
  const text = fill(hasNoMessage ? withoutMessage(template) : template, values)
  return { subject: oneLine(subject).slice(0, subjectMax), text: text.replace(/\r\n?/g, '\n'), language }
}

/** A line with nothing but the sender's message, and a label such as `Note:`. */
const messageLine = /\r?\n[^\S\n]*(?:[^\n{}:：]{1,40}[:：])?[^\S\n]*\{desc\}[^\S\n]*(?=\n|$)/g

/** Returns a template without the lines that would show that there is no message. */
const withoutMessage = (template: string) => template.replace(messageLine, '')

/**
 * Renders the email about a change of an account. Administrators can't change its text.
 */
export function renderNotice(language: string, { change, ...details }: NoticeDetails): Rendered {
  const values = formatted({ ...details, change: placeholderFor(language, `notice.${change}`) }, language)
  const subject = fill(placeholderFor(language, 'noticeSubject'), values)
  return { subject: oneLine(subject).slice(0, subjectMax), text: fill(placeholderFor(language, 'noticeMessage'), values), language }
}

/** The emails that administrators can't change, by the beginning of the keys of their texts. */
export type FixedMail =
  | 'verification'
  | 'reopenRequest'
  | 'reminder'
  | 'recipientReminder'
  | 'downloadNotice'
  | 'fetchedByAll'
  | 'shareCode'

/** Renders an email that administrators can't change. */
export function renderFixed(language: string, mail: FixedMail, variables: Record<string, string | Date | null>): Rendered {
  const values = formatted(variables, language)
  const subject = fill(placeholderFor(language, `${mail}Subject`), values)
  return { subject: oneLine(subject).slice(0, subjectMax), text: fill(placeholderFor(language, `${mail}Message`), values), language }
}

function formatted(variables: object, language: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, textOf(value, language) || placeholderFor(language, name)]),
  )
}

function textOf(value: unknown, language: string): string {
  if (value instanceof Date) return `${formatTime(language, value)} UTC`
  return typeof value === 'string' ? showInvisible(value) : ''
}

function formatTime(language: string, time: Date): string {
  const options = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(intlTag(language), options).format(time)
}

/**
 * Replaces line breaks and other control characters, which could start another header (RFC 5322,
 * section 2.2).
 */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

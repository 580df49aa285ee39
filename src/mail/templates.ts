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

export interface MailTo<K extends MailKind = MailKind> {
  to: string
  kind: K
  variables: MailVariables[K]
}

const subjectMax = 200 // characters
const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** Fills a template in. The subject is one line whatever the variables hold; what a template does not know stays as it is. */
export function render<K extends MailKind>(texts: MailTexts, { to, kind, variables }: MailTo<K>): { subject: string; text: string } {
  const values = { ...wordsOf(variables), email: to }
  const subject = fill(texts[`email.${kind}Subject`], values)
  const text = fill(texts[`email.${kind}Message`].replaceAll('\\n', '\n'), values) // templates of Pingvin Share write line breaks so
  return { subject: oneLine(subject).slice(0, subjectMax), text: text.replace(/\r\n?/g, '\n') }
}

/** Everything in one pass: what a variable holds is never a template itself. */
function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => (Object.hasOwn(values, name) ? values[name]! : placeholder))
}

const whenEmpty: Record<string, string> = { creator: 'Someone', desc: 'No description', expires: 'never' }

function wordsOf(variables: object): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, wordFor(value) || (whenEmpty[name] ?? '')]))
}

function wordFor(value: unknown): string {
  if (value instanceof Date) return `${time.format(value)} UTC`
  return typeof value === 'string' ? value : ''
}

/** Without line breaks or other control characters, which would begin another header (RFC 5322, 2.2). */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

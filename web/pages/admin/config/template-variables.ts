import type { MailKind, MailVariables } from '../../../../src/mail/templates.ts'

/** What each kind of e-mail can tell, beside the recipient's own address. */
const variables: { [K in MailKind]: Record<keyof Required<MailVariables[K]>, true> } = {
  shareRecipients: { creator: true, creatorEmail: true, shareUrl: true, desc: true, expires: true },
  reverseShare: { shareUrl: true },
  resetPassword: { url: true },
  invite: { url: true, password: true },
}

/** The variables that a template may name; none for any other setting. */
export function variablesOf(key: string): readonly string[] {
  const kind = /^email\.(\w+)(?:Subject|Message)$/.exec(key)?.[1]
  return kind && Object.hasOwn(variables, kind) ? [...Object.keys(variables[kind as MailKind]), 'email'] : []
}

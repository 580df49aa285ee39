import type { MailKind, MailVariables } from '../../../../src/mail/templates.ts'

/** The variables of each kind of email, in addition to the recipient's address. */
const variables: { [K in MailKind]: Record<keyof Required<MailVariables[K]>, true> } = {
  shareRecipients: { creator: true, creatorEmail: true, title: true, files: true, size: true, shareUrl: true, desc: true, expires: true },
  reverseShare: { creator: true, shareUrl: true },
  resetPassword: { url: true },
  invite: { url: true, password: true },
}

/** Returns the variables that a template may use. Other settings have none. */
export function variablesOf(key: string): readonly string[] {
  const kind = /^email\.(\w+)(?:Subject|Message)$/.exec(key)?.[1]
  return kind && Object.hasOwn(variables, kind) ? [...Object.keys(variables[kind as MailKind]), 'email'] : []
}

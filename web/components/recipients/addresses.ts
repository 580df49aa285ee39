import { IsEmail } from 'typebox/format'
import { emailMaxLength } from '../../../src/shares/limits.ts'
import { settings } from '../../start.ts'

/** Returns whether shares can have recipients: it is turned on and a mail server is set up. */
export function canHaveRecipients(): boolean {
  return settings['email.enableShareEmailRecipients'] && settings['smtp.enabled']
}

/** Returns whether the server accepts the text as an email address. */
export function isAddress(text: string): boolean {
  return text.length <= emailMaxLength && IsEmail(text)
}

/**
 * Splits a text into addresses at commas, semicolons and white space. Of `Ann <ann@example.com>` it
 * returns the part in brackets.
 */
export function addressesIn(text: string): string[] {
  return text
    .replace(/[^,;\n<>]*<([^<>]*)>/g, ' $1 ')
    .split(/[\s,;]+/)
    .filter(Boolean)
}

/** Removes repeated addresses, ignoring case. The first spelling is kept. */
export function uniqueAddresses(addresses: readonly string[]): string[] {
  const byKey = new Map<string, string>()
  for (const address of addresses) {
    const key = address.normalize('NFC').toLowerCase()
    if (!byKey.has(key)) byKey.set(key, address)
  }
  return [...byKey.values()]
}

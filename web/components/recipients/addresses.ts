import { IsEmail } from 'typebox/format'
import { emailMaxLength } from '../../../src/shares/limits.ts'
import { settings } from '../../start.ts'

/** Whether recipients can be told of a share: an administrator wants it, and e-mail works. */
export function canHaveRecipients(): boolean {
  return settings['email.enableShareEmailRecipients'] && settings['smtp.enabled']
}

/** Whether the server takes it for an e-mail address. */
export function isAddress(text: string): boolean {
  return text.length <= emailMaxLength && IsEmail(text)
}

/** The addresses in a text, between commas, semicolons, spaces and line breaks; of `Ann <ann@example.com>` what is in brackets. */
export function addressesIn(text: string): string[] {
  return text
    .replace(/[^,;\n<>]*<([^<>]*)>/g, ' $1 ')
    .split(/[\s,;]+/)
    .filter(Boolean)
}

/** Each address once, whatever its case, as it was written first. */
export function withoutRepeats(addresses: readonly string[]): string[] {
  const byKey = new Map<string, string>()
  for (const address of addresses) {
    const key = address.normalize('NFC').toLowerCase()
    if (!byKey.has(key)) byKey.set(key, address)
  }
  return [...byKey.values()]
}

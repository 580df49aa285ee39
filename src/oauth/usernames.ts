import { randomInt } from 'node:crypto'
import { usernameMaxLength, usernameMinLength } from '../users/limits.ts'

const digits = 4

/**
 * Returns a valid username for a provider's username, without accents and without the part after an
 * `@`. If too little is left, it uses the email address or random digits.
 */
export function usernameFrom({ username, email }: { username: string; email: string | null }): string {
  const usable = [username, email ?? ''].map(normalized).find((name) => name.length >= usernameMinLength)
  return usable ?? `user${newDigits()}`
}

/** Returns a similar username with random digits, for when the username is taken. */
export function anotherUsername(username: string): string {
  return `${username.slice(0, usernameMaxLength - digits)}${newDigits()}`
}

function normalized(text: string): string {
  const [name = ''] = text.split('@')
  return name
    .normalize('NFKD')
    .replace(/\s+/g, '.')
    .replace(/[^A-Za-z0-9_.]/g, '')
    .replace(/^\.+|(?<!\.)\.+$/g, '')
    .slice(0, usernameMaxLength)
}

function newDigits(): string {
  return String(randomInt(10 ** digits)).padStart(digits, '0')
}

import { randomInt } from 'node:crypto'
import { usernameMaxLength, usernameMinLength } from '../users/limits.ts'

const digits = 4

/** A username as we allow it from what a provider calls somebody: without accents, without what follows an `@`; from the address where nothing is left. */
export function usernameFrom({ username, email }: { username: string; email: string | null }): string {
  const usable = [username, email ?? ''].map(cleaned).find((name) => name.length >= usernameMinLength)
  return usable ?? `user${newDigits()}`
}

/** Another one like it, for when it is taken. */
export function anotherUsername(username: string): string {
  return `${username.slice(0, usernameMaxLength - digits)}${newDigits()}`
}

function cleaned(text: string): string {
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

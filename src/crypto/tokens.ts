import { createHash, randomBytes, randomInt } from 'node:crypto'
import { equalsInConstantTime } from './signed.ts'

/** Returns a new secret of 256 bits from the CSPRNG, in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Returns the form in which a token is stored: its SHA-256. Tokens are random, so a fast hash is
 * enough.
 */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** Returns whether a token has the stored hash. It takes the same time for every wrong token. */
export function tokenMatches(token: string, storedHash: string): boolean {
  return equalsInConstantTime(hashToken(token), storedHash)
}

// Without 0/O and 1/l/I, because people read links aloud.
const linkAlphabet = '23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'

/** Returns a random share link of `length` characters (5.8 bits each). */
export function newLink(length: number): string {
  return Array.from({ length }, () => linkAlphabet[randomInt(linkAlphabet.length)]).join('')
}

/** Returns a random code of six digits from the CSPRNG. */
export function newCode(): string {
  return randomInt(1_000_000).toString().padStart(6, '0')
}

import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** A new secret of 256 bit from the CSPRNG, in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of a token: its SHA-256. Tokens are random, so a fast hash is enough. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** Whether `token` is the one whose hash is stored; takes the same time for every wrong one. */
export function tokenMatches(token: string, storedHash: string): boolean {
  const given = Buffer.from(hashToken(token))
  const stored = Buffer.from(storedHash)
  return given.length === stored.length && timingSafeEqual(given, stored)
}

// Without 0/O and 1/l/I: people read links aloud.
const linkAlphabet = '23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'

/** A random share link of `length` characters (5.8 bit each). */
export function newLink(length: number): string {
  return Array.from({ length }, () => linkAlphabet[randomInt(linkAlphabet.length)]).join('')
}

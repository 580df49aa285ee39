import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { type Purpose, queued } from './hash-queue.ts'

/** argon2id (RFC 9106) as OWASP asks: KiB of memory, passes, lanes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Hashes a password into a PHC string.
 * @throws `unavailable` when the queue of `purpose` is full.
 */
export function hashPassword(password: string, purpose: Purpose): Promise<string> {
  return queued(purpose, () => hash(prepared(password), cost))
}

/**
 * Returns whether the password is the one that was hashed. With null (no such user, or a user without a password) it takes the same time and returns false.
 * @throws `unavailable` when the queue of `purpose` is full.
 */
export async function verifyPassword(password: string, phc: string | null, purpose: Purpose): Promise<boolean> {
  const matches = await queued(purpose, () => verify(phc ?? dummyHash, prepared(password)))
  return matches && phc !== null
}

/** One password however it was typed (RFC 8265 OpaqueString: NFC). */
function prepared(password: string): string {
  return password.normalize('NFC')
}

const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '')
const dummyHash = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${base64(16)}$${base64(32)}`

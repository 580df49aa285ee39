import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { type HashPurpose, queueHash } from './hash-queue.ts'

/** Parameters of argon2id (RFC 9106) as OWASP recommends: KiB of memory, passes, lanes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Hashes a password into a PHC string.
 * @throws {AppError} unavailable: when the queue of `purpose` is full
 */
export function hashPassword(password: string, purpose: HashPurpose): Promise<string> {
  return queueHash(purpose, () => hash(normalized(password), cost))
}

/**
 * Returns whether a password has the hash `phc`.
 * With null (no such user, or a user without a password) it returns false after the same time.
 * @throws {AppError} unavailable: when the queue of `purpose` is full
 */
export async function verifyPassword(password: string, phc: string | null, purpose: HashPurpose): Promise<boolean> {
  const matches = await queueHash(purpose, () => verify(phc ?? dummyHash, normalized(password)))
  return matches && phc !== null
}

/** Makes a password the same on every keyboard (RFC 8265 OpaqueString: NFC). */
function normalized(password: string): string {
  return password.normalize('NFC')
}

const randomBase64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '')
const dummyHash = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${randomBase64(16)}$${randomBase64(32)}`

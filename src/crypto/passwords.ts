import { createHash, randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { compare } from 'bcryptjs'
import { type HashPurpose, queueHash } from './hash-queue.ts'

const bcryptShape = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/
const wrappedShape = /^\$sha1\$([A-Za-z0-9+/=]+)(\$argon2id\$.+)$/

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
  const matches = await queueHash(purpose, () => matchesHash(normalized(password), phc ?? dummyHash))
  return matches && phc !== null
}

/** Whether `verifyPassword` can check this hash: one of ours, or of an import. */
export function isKnownHash(phc: string): boolean {
  return /^\$argon2(id|i|d)\$/.test(phc) || bcryptShape.test(phc) || wrappedShape.test(phc)
}

/** Whether `hashPassword` made this hash, with the present cost. */
export function isOwnHash(phc: string): boolean {
  return phc.startsWith(ownPrefix)
}

/**
 * Wraps a salted SHA-1 hash of another product into argon2id, because SHA-1 is too fast to be
 * stored.
 */
export async function wrapSha1(sha1: string, salt: string): Promise<string> {
  return `$sha1$${Buffer.from(salt).toString('base64')}${await hash(sha1, cost)}`
}

async function matchesHash(password: string, phc: string): Promise<boolean> {
  if (bcryptShape.test(phc)) return compare(password, phc)
  const [, salt, inner] = wrappedShape.exec(phc) ?? []
  if (salt === undefined || inner === undefined) return verify(phc, password)
  const sha1 = createHash('sha1').update(password).update(Buffer.from(salt, 'base64')).digest('hex')
  return verify(inner, sha1)
}

/** Makes a password the same on every keyboard (RFC 8265 OpaqueString: NFC). */
function normalized(password: string): string {
  return password.normalize('NFC')
}

const randomBase64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '')
const ownPrefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`
const dummyHash = `${ownPrefix}${randomBase64(16)}$${randomBase64(32)}`

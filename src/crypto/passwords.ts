import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { AppError } from '../errors.ts'

/** argon2id (RFC 9106) as OWASP asks: KiB of memory, passes, lanes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
// Hashing takes threads of libuv's pool, which files and DNS need too: more than two at a time would hold up every upload.
const parallel = 2
const waitingMax = 256

let running = 0
const waiting: (() => void)[] = []

/** Hashes a password into a PHC string. Throws `unavailable` when too many wait already. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(prepared(password), cost))
}

/**
 * Whether the password is the one that was hashed. With null (no such user, or one without a password) it takes the same time and is false.
 * Throws `unavailable` when too many wait already.
 */
export async function verifyPassword(password: string, phc: string | null): Promise<boolean> {
  const matches = await inTurn(() => verify(phc ?? nobodysHash, prepared(password)))
  return matches && phc !== null
}

/** One password however it was typed (RFC 8265 OpaqueString: NFC). */
function prepared(password: string): string {
  return password.normalize('NFC')
}

const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '')
const nobodysHash = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${base64(16)}$${base64(32)}`

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < parallel) running++
  else await turn()
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

/** Waits for a place, which whoever ends hands over. */
function turn(): Promise<void> {
  if (waiting.length >= waitingMax) throw new AppError('unavailable', { retryAfter: 3 })
  return new Promise((resolve) => waiting.push(resolve))
}

import { addressKey } from './networks.ts'
import { consumeAttempt, type Limiters } from './rate-limit.ts'

/** Password hashes per signed-in user. */
export const hashesPerUser = { name: 'hash-user', attempts: 100, seconds: 600 }
/** Password hashes per address. A school of a thousand may open one share from one address. */
const hashesPerAddress = { name: 'hash-address', attempts: 1500, seconds: 600 }

interface Source {
  userId?: string | null
  address?: string
}

/**
 * Counts one password hash, whether the password is right or wrong: per user if one is signed in,
 * otherwise per address. Sign-ins and shares are counted separately.
 * @throws {AppError} too_many_requests: the limit is reached; `retryAfter` is in seconds
 */
export async function consumeHash(ctx: { limiters: Limiters }, purpose: 'sign-in' | 'share', { userId, address }: Source): Promise<void> {
  if (userId) await consumeAttempt(ctx, hashesPerUser, `${purpose} ${userId}`)
  else if (address !== undefined) await consumeAttempt(ctx, hashesPerAddress, `${purpose} ${addressKey(address)}`)
}

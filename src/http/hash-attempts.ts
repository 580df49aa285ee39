import { addressKey } from './networks.ts'
import { consumeAttempt, type Limiters } from './rate-limit.ts'

/** Passwords hashed for one signed-in user. */
export const hashesPerUser = { name: 'hash-user', attempts: 100, seconds: 600 }
/** Passwords hashed for one address: a school of a thousand opens one share with a password. */
export const hashesPerAddress = { name: 'hash-address', attempts: 1500, seconds: 600 }

interface Source {
  userId?: string | null
  address?: string
}

/**
 * Counts the hashing of a password, right or wrong: by user where one is signed in, else by address. Sign-ins and shares are counted apart.
 * @throws `too_many_requests` with `retryAfter` in seconds.
 */
export async function consumeHash(ctx: { limiters: Limiters }, purpose: 'sign-in' | 'share', { userId, address }: Source): Promise<void> {
  if (userId) await consumeAttempt(ctx, hashesPerUser, `${purpose} ${userId}`)
  else if (address !== undefined) await consumeAttempt(ctx, hashesPerAddress, `${purpose} ${addressKey(address)}`)
}

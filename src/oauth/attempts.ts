import { EncryptJWT, errors, jwtDecrypt } from 'jose'
import type { Context } from '../context.ts'
import { SocialError } from './errors.ts'
import { attemptLifetime, type Provider } from './limits.ts'

/** A pending sign-in or link with a provider, as the browser stores it. */
export interface SocialLoginAttempt {
  provider: Provider
  nonce: string
  /** Path to open afterwards; the page that opens it checks it. */
  redirect: string | null
  /** The session that links the provider's account; null for a sign-in. */
  link: { userId: string; sessionId: string } | null
  /** Whether the request had the setup code, so that it may create the first account. */
  mayBeFirst: boolean
}

type SealContext = Pick<Context, 'sealer' | 'now'>

/**
 * Encrypts and authenticates an attempt as `state` (JWE, A256GCM). Every replica accepts it for 10
 * minutes.
 */
export function sealAttempt({ sealer, now }: SealContext, attempt: SocialLoginAttempt): Promise<string> {
  return new EncryptJWT({ ...attempt })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setExpirationTime(new Date(now().getTime() + attemptLifetime * 1000))
    .encrypt(sealer.key('social login attempts'))
}

/**
 * Decrypts the attempt that a callback of `provider` belongs to. Its `state` must match the cookie
 * of the browser.
 * @throws {SocialError} expired_token: after more than 10 minutes
 * @throws {SocialError} invalid_token: when it belongs to another browser or provider, or is forged
 */
export async function openAttempt({ sealer, now }: SealContext, provider: Provider, cookie: string | undefined, state: string | undefined) {
  if (!cookie) throw new SocialError('expired_token')
  if (cookie !== state) throw new SocialError('invalid_token')
  try {
    const options = { currentDate: now(), keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
    const { payload } = await jwtDecrypt<SocialLoginAttempt>(state, sealer.key('social login attempts'), options)
    if (payload.provider === provider) return payload as SocialLoginAttempt
  } catch (cause) {
    throw new SocialError(cause instanceof errors.JWTExpired ? 'expired_token' : 'invalid_token', { cause })
  }
  throw new SocialError('invalid_token')
}

import { EncryptJWT, errors, jwtDecrypt } from 'jose'
import type { Context } from '../context.ts'
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
 * Decrypts the attempt that a callback's `state` belongs to; null if this server didn't create it
 * for `provider`. Does not check which browser started the attempt.
 */
export async function openAttempt(
  { sealer, now }: SealContext,
  provider: Provider,
  state: string,
): Promise<{ attempt: SocialLoginAttempt; isExpired: boolean } | null> {
  const opened = await decrypt({ sealer, now }, state)
  return opened?.attempt.provider === provider ? opened : null
}

async function decrypt({ sealer, now }: SealContext, state: string) {
  try {
    const options = { currentDate: now(), keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
    const { payload } = await jwtDecrypt<SocialLoginAttempt>(state, sealer.key('social login attempts'), options)
    return { attempt: payload as SocialLoginAttempt, isExpired: false }
  } catch (error) {
    if (!(error instanceof errors.JWTExpired)) return null
    return { attempt: error.payload as unknown as SocialLoginAttempt, isExpired: true }
  }
}

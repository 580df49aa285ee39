import { EncryptJWT, errors, jwtDecrypt } from 'jose'
import type { Context } from '../context.ts'
import { SocialError } from './errors.ts'
import { attemptLifetime, type Provider } from './limits.ts'

/** A sign-in that a provider is to answer, as the browser keeps it. */
export interface Attempt {
  provider: Provider
  nonce: string
  /** Where to go afterwards; looked at by the page that goes there. */
  redirect: string | null
  /** The session that the provider's account is to be linked to; null: it signs in. */
  link: { userId: string; sessionId: string } | null
  /** Whether the setup code was given, with which the first account may be created. */
  mayBeFirst: boolean
}

type SealContext = Pick<Context, 'sealer' | 'now'>

/** The attempt as `state`: encrypted and authenticated (JWE, A256GCM), good for 10 minutes at every replica. */
export function sealAttempt({ sealer, now }: SealContext, attempt: Attempt): Promise<string> {
  return new EncryptJWT({ ...attempt })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setExpirationTime(new Date(now().getTime() + attemptLifetime * 1000))
    .encrypt(sealer.key('social login attempts'))
}

/**
 * The attempt that an answer of `provider` belongs to: its `state` must be the one that this browser keeps. Throws SocialError `expired_token` when that
 * took too long, `invalid_token` when it is another browser's, another provider's, or nobody's.
 */
export async function openAttempt({ sealer, now }: SealContext, provider: Provider, kept: string | undefined, state: string | undefined) {
  if (!kept) throw new SocialError('expired_token')
  if (kept !== state) throw new SocialError('invalid_token')
  try {
    const options = { currentDate: now(), keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
    const { payload } = await jwtDecrypt<Attempt>(state, sealer.key('social login attempts'), options)
    if (payload.provider === provider) return payload as Attempt
  } catch (cause) {
    throw new SocialError(cause instanceof errors.JWTExpired ? 'expired_token' : 'invalid_token', { cause })
  }
  throw new SocialError('invalid_token')
}

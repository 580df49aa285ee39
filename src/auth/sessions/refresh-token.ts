import type { Sealer } from '../../crypto/sealed.ts'
import { signValue, verifyValue } from '../../crypto/signed.ts'
import { newToken } from '../../crypto/tokens.ts'

const binding = { purpose: 'refresh tokens', prefix: '' } as const

/**
 * Returns a new refresh token. It contains the signed id of its session, so that a stolen old token
 * identifies the session.
 */
export function newRefreshToken(sealer: Sealer, sessionId: string): string {
  return signValue(sealer, binding, `${sessionId}.${newToken()}`)
}

/**
 * Returns the id of the session that a refresh token was issued for, even if it was replaced since;
 * null for forged tokens.
 */
export function sessionOfToken(sealer: Sealer, token: string): string | null {
  const value = verifyValue(sealer, binding, token)
  return value === null ? null : value.slice(0, value.indexOf('.'))
}

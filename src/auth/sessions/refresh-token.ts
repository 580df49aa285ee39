import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Sealer } from '../../crypto/sealed.ts'
import { newToken } from '../../crypto/tokens.ts'

/** A new refresh token of a session. It carries the session's id under a MAC, so that an old token tells which session it was stolen from. */
export function newRefreshToken(sealer: Sealer, sessionId: string): string {
  const signed = `${sessionId}.${newToken()}`
  return `${signed}.${mac(sealer, signed)}`
}

/** The id of the session that the token was made for, now or earlier; null when we did not make it. */
export function sessionOfToken(sealer: Sealer, token: string): string | null {
  const end = token.lastIndexOf('.')
  const signed = token.slice(0, Math.max(end, 0))
  const given = Buffer.from(token.slice(end + 1))
  const right = Buffer.from(mac(sealer, signed))
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null
  return signed.slice(0, signed.indexOf('.'))
}

function mac(sealer: Sealer, text: string): string {
  return createHmac('sha256', sealer.key('refresh tokens')).update(text).digest('base64url')
}

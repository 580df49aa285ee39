import { hashToken, tokenMatches } from '../crypto/tokens.ts'

/** Returns whether an Authorization header carries the token (RFC 6750). */
export function allowed(authorization: string | undefined, token: string): boolean {
  const [, bearer = ''] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? []
  return tokenMatches(bearer, hashToken(token))
}

import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether an Authorization header carries the token (RFC 6750), compared in constant time. */
export function allowed(authorization: string | undefined, token: string): boolean {
  const [, given = ''] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? []
  return timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

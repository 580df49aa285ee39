import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { signUntil, verifyUntil } from '../crypto/signed.ts'
import { linkCookie, setLinkCookie } from './link-cookies.ts'
import type { ShareAccess } from './queries.ts'

const lifetime = 30 * 86_400_000 // ms

/**
 * The content of an unlock token: the link's uid, the version of its password, when it was issued
 * (ms since 1970), and the visitor whose downloads are counted. Earlier versions named no visitor.
 */
export interface Unlock {
  uid: string
  passwordVersion: number
  issued: number
  visitor?: string
}

interface UnlockableLink {
  id: string
  uid: string
  passwordVersion: number
  expiresAt: Date | null
}

/** Returns what an unlock token for the link of a visitor is bound to. */
export function unlockableLink({ linkId: id, linkUid: uid, passwordVersion, expiresAt }: ShareAccess): UnlockableLink {
  return { id, uid, passwordVersion, expiresAt }
}

type UnlockContext = Pick<Context, 'sealer' | 'now'>

/**
 * Returns a token that unlocks one link of a share for 30 days, or until the link expires. It has
 * the form `uid.passwordVersion.issued.visitor.expires.mac`, with numbers in base 36, and is signed
 * for the link. The uid changes when a link is reused, the version when the password changes.
 */
export function newUnlock(
  { sealer, now }: UnlockContext,
  { id, uid, passwordVersion, expiresAt }: UnlockableLink,
  visitor?: string,
): string {
  const issued = now().getTime()
  const expires = Math.min(issued + lifetime, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY)
  const fields = [uid, passwordVersion.toString(36), issued.toString(36), ...(visitor === undefined ? [] : [visitor])]
  return signUntil(sealer, bindingOf(id), fields, expires)
}

/**
 * Returns the content of the request's unlock token for the link `id`; null when it is missing,
 * forged or expired. Reads no database.
 */
export function readUnlock({ sealer, now }: UnlockContext, request: FastifyRequest, id: string): Unlock | null {
  const token = linkCookie(request, id, 'token')
  const fields = token ? verifyUntil(sealer, bindingOf(id), token, now()) : null
  return fields && unlockOf(fields)
}

/** Returns whether an unlock token still fits the current link. */
export function unlocks({ uid, passwordVersion }: Unlock, link: Pick<UnlockableLink, 'uid' | 'passwordVersion'>): boolean {
  return uid === link.uid && passwordVersion === link.passwordVersion
}

/**
 * Sets the unlock cookie, which lives until the browser closes, and clears the oldest so that ten
 * remain.
 */
export function setUnlockCookie(request: FastifyRequest, reply: FastifyReply, id: string, token: string): void {
  setLinkCookie(request, reply, { id, kind: 'token', token, orderOf: (other) => unlockOf(other.split('.')).issued })
}

function unlockOf([uid = '', passwordVersion = '', issued = '', visitor]: string[]): Unlock {
  return { uid, passwordVersion: Number.parseInt(passwordVersion, 36), issued: Number.parseInt(issued, 36), ...(visitor && { visitor }) }
}

function bindingOf(id: string) {
  return { purpose: 'share tokens', prefix: `${id}.` } as const
}

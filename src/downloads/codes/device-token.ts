import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { signUntil, verifyUntil } from '../../crypto/signed.ts'
import { linkCookie, setLinkCookie } from '../link-cookies.ts'
import type { ShareAccess } from '../queries.ts'

const lifetime = 30 * 86_400 // seconds

type VerifiedLink = Pick<ShareAccess, 'linkId' | 'linkUid' | 'verifiedRecipient'>
type TokenContext = Pick<Context, 'sealer' | 'now'>

/**
 * Returns a token that proves for 30 days that the recipient of a link uses this device. It has the
 * form `uid.recipient.expires.mac`, with the time in base 36, and is signed for the link.
 */
export function newDeviceToken({ sealer, now }: TokenContext, { linkId, linkUid, verifiedRecipient }: VerifiedLink): string {
  return signUntil(sealer, bindingOf(linkId), [linkUid, String(verifiedRecipient)], now().getTime() + lifetime * 1000)
}

/**
 * Returns whether this device may use a link: its recipient has confirmed it, or the link asks for
 * no code.
 */
export function isVerifiedDevice({ sealer, now }: TokenContext, request: FastifyRequest, link: VerifiedLink): boolean {
  const { linkId, linkUid, verifiedRecipient } = link
  if (verifiedRecipient === null) return true
  const token = linkCookie(request, linkId, 'device')
  const fields = token ? verifyUntil(sealer, bindingOf(linkId), token, now()) : null
  return fields !== null && fields[0] === linkUid && fields[1] === verifiedRecipient
}

/** Sets the cookie with a device token for 30 days, and clears the oldest so that ten remain. */
export function setDeviceCookie(request: FastifyRequest, reply: FastifyReply, id: string, token: string): void {
  setLinkCookie(request, reply, { id, kind: 'device', token, maxAge: lifetime, orderOf: expiresOf })
}

function expiresOf(token: string): number {
  return Number.parseInt(token.split('.')[2] ?? '', 36)
}

function bindingOf(id: string) {
  return { purpose: 'verified devices', prefix: `${id}.` } as const
}

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sealer } from '../../crypto/sealed.ts'
import { newToken } from '../../crypto/tokens.ts'
import { isSecure } from '../../http/https-site.ts'
import { knownDeviceLifetime } from '../limits.ts'
import type { Device } from './sessions.ts'

const cookieName = 'known_device'

/** Returns what the browser keeps of an earlier sign-in, unchecked. */
export function keptDeviceToken(request: FastifyRequest): string | undefined {
  return request.cookies[cookieName]
}

/** Returns the id of a device on which this user has signed in before; null for other devices. It survives sign-out, and signs nobody in. */
export function knownDevice(sealer: Sealer, { keptToken = '' }: Pick<Device, 'keptToken'>, userId: string): string | null {
  const end = keptToken.lastIndexOf('.')
  const deviceId = keptToken.slice(0, Math.max(end, 0))
  const given = Buffer.from(keptToken.slice(end + 1))
  const right = Buffer.from(mac(sealer, userId, deviceId))
  return deviceId && given.length === right.length && timingSafeEqual(given, right) ? deviceId : null
}

/** Marks the browser as a known device of the user, or renews the mark. A browser is known to the user who signed in last. */
export function rememberDevice(sealer: Sealer, reply: FastifyReply, userId: string): void {
  const { request } = reply
  const deviceId = knownDevice(sealer, { keptToken: keptDeviceToken(request) }, userId) ?? newToken()
  reply.setCookie(cookieName, `${deviceId}.${mac(sealer, userId, deviceId)}`, {
    path: '/api/auth',
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure(request),
    maxAge: knownDeviceLifetime,
  })
}

function mac(sealer: Sealer, userId: string, deviceId: string): string {
  return createHmac('sha256', sealer.key('known devices')).update(`${userId} ${deviceId}`).digest('base64url')
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sealer } from '../../crypto/sealed.ts'
import { signValue, verifyValue } from '../../crypto/signed.ts'
import { newToken } from '../../crypto/tokens.ts'
import { cookiePath } from '../../http/base-path.ts'
import { isSecure } from '../../http/https-site.ts'
import { knownDeviceLifetime } from '../limits.ts'
import type { Device } from './sessions.ts'

const cookieName = 'known_device'

/** Returns the unverified token of a browser that has signed in before. */
export function knownDeviceCookieOf(request: FastifyRequest): string | undefined {
  return request.cookies[cookieName]
}

/**
 * Returns the id of a device on which this user has signed in before, or null for other devices.
 * The token survives sign-out and signs no one in.
 */
export function knownDeviceId(sealer: Sealer, { deviceToken = '' }: Pick<Device, 'deviceToken'>, userId: string): string | null {
  return verifyValue(sealer, bindingOf(userId), deviceToken) || null
}

/** Marks the browser as a known device of the user who signed in last, or renews the mark. */
export function rememberDevice(sealer: Sealer, reply: FastifyReply, userId: string): void {
  const { request } = reply
  const deviceToken = knownDeviceCookieOf(request) ?? ''
  const deviceId = knownDeviceId(sealer, { deviceToken }, userId) ?? newToken()
  reply.setCookie(cookieName, signValue(sealer, bindingOf(userId), deviceId), {
    path: cookiePath(request, '/api/auth'),
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure(request),
    maxAge: knownDeviceLifetime,
  })
}

function bindingOf(userId: string) {
  return { purpose: 'known devices', prefix: `${userId} ` } as const
}

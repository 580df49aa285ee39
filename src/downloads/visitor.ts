import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { macOf } from '../crypto/signed.ts'
import { addressKey } from '../http/networks.ts'
import type { Viewer } from './guard.ts'

const length = 22 // characters, 132 bits

/** Returns a random name for a visitor, which only the unlock token of one link has. */
export function newVisitor(): string {
  return randomBytes(16).toString('base64url')
}

/**
 * Returns the name under which a visitor's downloads are counted: that of the unlock token or,
 * without one, a MAC of the address and the program. It differs between links, so that it can't be
 * used to follow a visitor.
 */
export function visitorOf({ sealer }: Pick<Context, 'sealer'>, { ip, headers }: FastifyRequest, { access, visitor }: Viewer): string {
  return visitor ?? macOf(sealer, 'visitors', `${access.linkUid}\n${addressKey(ip)}\n${headers['user-agent'] ?? ''}`).slice(0, length)
}

/** Returns a name of a visitor's address, which differs between links. */
export function networkOf({ sealer }: Pick<Context, 'sealer'>, { ip }: FastifyRequest, { access }: Viewer): string {
  return macOf(sealer, 'networks', `${access.linkUid}\n${addressKey(ip)}`).slice(0, length)
}

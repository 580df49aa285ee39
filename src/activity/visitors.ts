import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { macOf } from '../crypto/signed.ts'
import { addressKey } from '../http/networks.ts'

const length = 22 // characters, 132 bits

/**
 * Returns a name of the visitor of a link: a MAC of the address and the program. It differs between
 * links, so that it can't be used to follow a visitor.
 */
export function visitorName({ sealer }: Pick<Context, 'sealer'>, { ip, headers }: FastifyRequest, linkUid: string): string {
  return macOf(sealer, 'visitors', `${linkUid}\n${addressKey(ip)}\n${headers['user-agent'] ?? ''}`).slice(0, length)
}

/** Returns a name of a visitor's address, which differs between links. */
export function networkName({ sealer }: Pick<Context, 'sealer'>, { ip }: FastifyRequest, linkUid: string): string {
  return macOf(sealer, 'networks', `${linkUid}\n${addressKey(ip)}`).slice(0, length)
}

import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { visitorName } from '../activity/visitors.ts'
import type { Context } from '../context.ts'
import type { Viewer } from './guard.ts'

/** Returns a random name for a visitor, which only the unlock token of one link has. */
export function newVisitor(): string {
  return randomBytes(16).toString('base64url')
}

/**
 * Returns the name under which a visitor's downloads are counted: that of the unlock token or,
 * without one, that of the address and the program.
 */
export function visitorOf(ctx: Pick<Context, 'sealer'>, request: FastifyRequest, { access, visitor }: Viewer): string {
  return visitor ?? visitorName(ctx, request, access.linkUid)
}

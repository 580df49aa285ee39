import type { FastifyInstance } from 'fastify'
import { endpoints } from '../../http/route.ts'
import type { Counting } from '../counting/transfer.ts'
import { sendCode, verifyCode } from './codes.ts'
import { codesContract } from './contract.ts'
import { setDeviceCookie } from './device-token.ts'

/** Registers the calls of a visitor whose link asks for a code by email. */
export function codesRoutes(app: FastifyInstance, ctx: Counting): void {
  const on = endpoints(app, codesContract)

  on('POST /api/shares/:id/code', {}, (request) => sendCode(ctx, request, request.params.id))

  on('POST /api/shares/:id/code/verify', {}, async (request, reply) => {
    const { id } = request.params
    const token = await verifyCode(ctx, request, id, request.body.code.replace(/\s/g, ''))
    setDeviceCookie(request, reply, id, token)
    return { token }
  })
}

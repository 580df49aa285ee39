import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { signedIn, userOf } from '../../http/guards.ts'
import { endpoints } from '../../http/route.ts'
import { authContract } from '../contract.ts'
import { deviceOf, tokenIssuer } from '../sessions/tokens.ts'
import { changePassword, requireResets, resetPassword, sendReset } from './passwords.ts'

export function passwordRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, authContract)
  const { issueTokens } = tokenIssuer(app, ctx)
  const sending = new Set<Promise<void>>()
  app.addHook('onClose', async () => void (await Promise.all(sending)))

  on('PATCH /api/auth/password', { onRequest: signedIn('session') }, async (request, reply) =>
    issueTokens(reply, await changePassword(ctx, userOf(request), request.body, deviceOf(request))),
  )

  on('POST /api/auth/resetPassword/:email', {}, async (request) => {
    await requireResets(ctx, request.ip)
    const sent = afterwards(() => sendReset(ctx, request.params.email))
    sending.add(sent)
    sent.finally(() => sending.delete(sent))
  })

  on('POST /api/auth/resetPassword', {}, (request) => resetPassword(ctx, request.body))

  /** When the answer is on its way, so that it takes the same time for everybody. */
  async function afterwards(work: () => Promise<void>): Promise<void> {
    await nextTurn()
    await work().catch((err) => ctx.log.warn({ err }, 'no link to a new password was sent'))
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { signedIn, userOf } from '../../http/guards.ts'
import { endpoints } from '../../http/route.ts'
import { authContract } from '../contract.ts'
import { deviceOf, tokenIssuer } from '../sessions/tokens.ts'
import { changePassword, requireResets, resetPassword, sendReset } from './passwords.ts'

/** Registers the routes for changing and resetting passwords. */
export function passwordRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, authContract)
  const { issueTokens } = tokenIssuer(app, ctx)
  const pending = new Set<Promise<void>>()
  app.addHook('onClose', async () => void (await Promise.all(pending)))

  on('PATCH /api/auth/password', { onRequest: signedIn('session') }, async (request, reply) =>
    issueTokens(reply, await changePassword(ctx, userOf(request), request.body, deviceOf(request))),
  )

  on('POST /api/auth/resetPassword/:email', {}, async (request) => {
    await requireResets(ctx, request.ip)
    const sending = afterResponse(() => sendReset(ctx, request.params.email))
    pending.add(sending)
    sending.finally(() => pending.delete(sending))
  })

  on('POST /api/auth/resetPassword', {}, (request) => resetPassword(ctx, request.body))

  /** Starts work in the next turn of the event loop, so that every response takes the same time. */
  async function afterResponse(work: () => Promise<void>): Promise<void> {
    await nextTurn()
    await work().catch((err) => ctx.log.warn({ err }, 'password reset link not sent'))
  }
}

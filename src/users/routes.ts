import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { appUrl } from '../http/app-url.ts'
import { admin, signedIn, userOf } from '../http/guards.ts'
import { endpoints } from '../http/route.ts'
import { clearSessionCookies } from '../http/session-cookies.ts'
import { changeUser, createUser, deleteOther, endSessionsOfOther } from './administration.ts'
import { usersContract } from './contract.ts'
import { countUsers, listUsers, userById } from './queries.ts'
import { changeOwn, deleteOwn, invite, toUserDTO } from './service.ts'
import { resendVerification } from './verification.ts'

/** Registers the routes for users and their own account. */
export function userRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, usersContract)
  ownRoutes(app, ctx)

  on('GET /api/users', { onRequest: admin }, async (request, reply) => {
    const [users, count] = await Promise.all([listUsers(ctx.db, request.query), countUsers(ctx.db, request.query.search)])
    reply.header('x-total-count', count)
    return users.map(toUserDTO)
  })

  on('POST /api/users', { onRequest: admin }, async (request) =>
    toUserDTO(await createUser(ctx, userOf(request), request.body, await siteUrl(request))),
  )

  on('PATCH /api/users/:id', { onRequest: admin }, async (request) =>
    toUserDTO(await changeUser(ctx, userOf(request), request.params.id, request.body)),
  )

  on('DELETE /api/users/:id', { onRequest: admin }, async (request) =>
    toUserDTO(await deleteOther(ctx, userOf(request), request.params.id)),
  )

  on('DELETE /api/users/:id/sessions', { onRequest: admin }, async (request) =>
    endSessionsOfOther(ctx, userOf(request), request.params.id, request.body?.currentPassword),
  )

  on('POST /api/users/:id/invitation', { onRequest: admin }, async (request) =>
    invite(ctx, request.params.id, await siteUrl(request), userOf(request).userId),
  )

  /** Without a configured URL, the Host header is trusted, because an administrator sent it. */
  async function siteUrl(request: FastifyRequest): Promise<string> {
    return appUrl(ctx.env, (await readSettings(ctx))['general.appUrl'], request)
  }
}

function ownRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, usersContract)

  on('GET /api/users/me', { onRequest: signedIn('shares:read') }, async (request) => {
    const user = await userById(ctx.db, userOf(request).userId)
    if (!user) throw new AppError('unauthorized')
    return toUserDTO(user)
  })

  on('PATCH /api/users/me', { onRequest: signedIn('session') }, async (request) =>
    toUserDTO(await changeOwn(ctx, userOf(request), request.body)),
  )

  on('POST /api/users/me/verification', { onRequest: signedIn('session') }, (request) => resendVerification(ctx, userOf(request)))

  on('DELETE /api/users/me', { onRequest: signedIn('session') }, async (request, reply) => {
    await deleteOwn(ctx, userOf(request), request.body?.currentPassword)
    clearSessionCookies(reply)
  })
}

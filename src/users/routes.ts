import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { signedIn, userOf } from '../http/guards.ts'
import { endpoints } from '../http/route.ts'
import { usersContract } from './contract.ts'
import { userById } from './queries.ts'
import { toUserDTO } from './service.ts'

export function userRoutes(app: FastifyInstance, ctx: Pick<Context, 'db'>): void {
  const on = endpoints(app, usersContract)

  on('GET /api/users/me', { preHandler: signedIn('shares:read') }, async (request) => {
    const user = await userById(ctx.db, userOf(request).userId)
    if (!user) throw new AppError('unauthorized')
    return toUserDTO(user)
  })
}

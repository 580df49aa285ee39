import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { endpoints } from '../http/route.ts'
import { configContract } from './contract.ts'
import { publicVariables } from './service.ts'

export function configRoutes(app: FastifyInstance, ctx: Pick<Context, 'db' | 'env'>): void {
  const on = endpoints(app, configContract)

  on('GET /api/configs', {}, () => publicVariables(ctx))
}

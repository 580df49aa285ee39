import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import type { Contract } from '../http/contract.ts'
import { endpoints } from '../http/route.ts'
import { withTimeout } from '../process/in-time.ts'

const State = Type.Enum(['up', 'down'])
const Ready = Type.Object({ status: State, dependencies: Type.Object({ database: State, queue: State, storage: State }) })

const operationsContract = {
  'GET /api/health': { summary: 'Returns OK while the process is running', produces: 'text/plain' },
  'GET /api/health/ready': { summary: 'The state of each dependency; 503 when one is down', response: Ready },
  'GET /api/version': { summary: 'The running version', response: Type.Object({ version: Type.String() }) },
} satisfies Contract

const CHECK_TIMEOUT = 3_000 // ms
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

/** Serves health probes. The cause of an outage is only logged, because the reply is public. */
export function operationsRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, operationsContract)
  const checks = {
    database: () => ctx.checkDatabase(),
    queue: () => ctx.queue.check(),
    storage: () => ctx.storage.check(),
  }

  on('GET /api/health', { logLevel: 'warn' }, (_request, reply) =>
    reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store').send('OK'),
  )

  on('GET /api/health/ready', { logLevel: 'warn' }, async (_request, reply) => {
    const [database, queue, storage] = await Promise.all([stateOf('database'), stateOf('queue'), stateOf('storage')])
    const dependencies = { database, queue, storage }
    const status = Object.values(dependencies).includes('down') ? ('down' as const) : ('up' as const)
    reply.header('cache-control', 'no-store').code(status === 'up' ? 200 : 503)
    return { status, dependencies }
  })

  on('GET /api/version', {}, () => ({ version }))

  async function stateOf(name: keyof typeof checks): Promise<'up' | 'down'> {
    try {
      await withTimeout(checks[name](), CHECK_TIMEOUT)
      return 'up'
    } catch (err) {
      ctx.log.warn({ err, dependency: name }, 'dependency is down')
      return 'down'
    }
  }
}

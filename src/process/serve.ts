import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../app.ts'
import { ensureFirstAdmin } from '../auth/first-admin.ts'
import { setupCode } from '../auth/setup-code.ts'
import type { Context } from '../context.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { metricsText } from '../metrics/route.ts'
import { serveMetrics } from '../metrics/server.ts'
import type { QueueConnection } from '../queue/connection.ts'
import { hasUsers } from '../users/queries.ts'
import type { EarlyServer } from './early-server.ts'
import { withTimeout } from './in-time.ts'
import { openContext } from './open-context.ts'
import { poolSizes } from './pool-sizes.ts'
import type { Running } from './run.ts'
import { type ServerWorker, STOP_TIMEOUT, startWorkerProcess } from './worker-process.ts'

/** A running PostgreSQL, and the secret of the installation. */
export interface ServerDatabase {
  connectionString: string
  secretKey: string
}

/**
 * Opens all other resources, serves HTTP with `server`, and starts the worker.
 * @throws {StartError} a resource can't be opened
 * @throws {EnvError} the environment's settings can't be used
 */
export async function serve(
  { env, log, closing, stopping, force }: Running,
  { connectionString, secretKey }: ServerDatabase,
  server: EarlyServer,
): Promise<void> {
  const metrics = createMetrics({ ofProcess: true })
  const connection = { connectionString }
  const options = { connection, secretKey, metrics, poolSize: poolSizes(env, false).server, signal: stopping, servesBrowsers: true }
  const { ctx, queueConnection, close } = await openContext(env, log, options)
  closing.add('context', close)
  await ensureFirstAdmin(ctx)
  const app = await buildApp(ctx, undefined, server)
  const { metricsPort: port, metricsToken: token, host } = env
  if (port !== null) closing.add('metrics', (await serveMetrics({ host, port, token, text: () => metricsText(ctx), log })).close)
  let worker: ServerWorker | undefined
  // The worker releases its jobs while running requests finish.
  closing.add('server', () => Promise.all([drain(app, env.drainSeconds, force), worker?.stop()]))
  force.addEventListener('abort', () => worker?.kill())
  await app.listen({ host, port: env.port, listenTextResolver: (address) => `listening on ${address}` })
  if (env.worker === 'inline') worker = await startWorker(ctx, queueConnection)
  if (env.worker === 'process') {
    const environment = { ...process.env, DATABASE_URL: connectionString, SECRET_KEY: secretKey }
    worker = startWorkerProcess(environment, log, metrics.record)
  }
  await printReady(ctx, app)
}

/**
 * Starts the worker in this process. Its code is loaded only here, because not every server needs
 * it.
 */
async function startWorker(ctx: Context, queueConnection: QueueConnection): Promise<ServerWorker> {
  const { startJobs } = await import('../../worker/start.ts')
  const jobs = startJobs(ctx, queueConnection)
  const killed = Promise.withResolvers<void>()
  const close = () => withTimeout(Promise.race([jobs.close(), killed.promise]), STOP_TIMEOUT)
  return { stop: () => close().catch((err) => ctx.log.error({ err }, 'worker did not close cleanly')), kill: killed.resolve }
}

/** Stops accepting and waits for running requests, then cuts them after `seconds` or on `force`. */
async function drain(app: FastifyInstance, seconds: number, force: AbortSignal): Promise<void> {
  const cut = () => app.server.closeAllConnections()
  const timer = setTimeout(cut, seconds * 1000)
  force.addEventListener('abort', cut)
  if (force.aborted) cut()
  await app.close()
  clearTimeout(timer)
}

async function printReady({ env, db, sealer, log }: Context, app: FastifyInstance): Promise<void> {
  const isNew = !(await hasUsers(db))
  const { port } = app.server.address() as AddressInfo
  const url = env.appUrl ?? `http://localhost:${port}`
  const code = setupCode(sealer)
  if (isNew) log.warn({ setupCode: code }, 'no account exists; the first one requires the setup code')
  const hint = isNew ? `\nThe first account to sign up becomes the administrator: open ${url}/auth/signUp\nSetup code: ${code}` : ''
  console.log(`Razorbill is ready: ${url}${hint}`)
}

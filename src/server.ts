import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import { ensureFirstAdmin } from './auth/first-admin.ts'
import { type Closing, closeInReverse } from './closing.ts'
import type { Context } from './context.ts'
import { StartError } from './data-dir.ts'
import type { Connection } from './db/connect.ts'
import { startEmbedded } from './db/embedded.ts'
import { type Env, EnvError, readEnv } from './env.ts'
import { createLog } from './log.ts'
import { openContext } from './open-context.ts'
import { ownSecretKey } from './secret-key.ts'
import { onSignals } from './signals.ts'
import { anyUser } from './users/queries.ts'
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts'

const DRAIN = 25_000 // ms that running requests get when the server stops
const LONGEST_STOP = 60_000 // ms after which it ends whatever is still open

/** What there is from the start on, and what to do when waiting is no option. */
interface Process {
  env: Env
  log: FastifyBaseLogger
  closing: Closing
  hurry: AbortController
}

async function start(server: Process, stopped: AbortSignal): Promise<void> {
  const { env, log, closing } = server
  const { connection, secretKey } = await openDatabase(server)
  const { ctx, close } = await openContext(env, log, { connection, secretKey, queueConnections: 4, direct: true, signal: stopped })
  closing.add('context', close)
  await ensureFirstAdmin(ctx)
  const app = await buildApp(ctx)
  let worker: WorkerProcess | undefined
  // The worker gives its jobs back while running requests finish.
  closing.add('server', () => Promise.all([drain(app, server.hurry.signal), worker?.stop()]))
  server.hurry.signal.addEventListener('abort', () => worker?.kill())
  await listen(app, env)
  if (env.worker === 'inline') worker = startWorkerProcess(workerEnvironment(connection, secretKey), log)
  await greet(ctx, app)
}

/** Our own PostgreSQL, which stops last, or that of DATABASE_URL. */
async function openDatabase({ env, log, closing }: Process): Promise<{ connection: Connection; secretKey: string }> {
  if (env.databaseUrl) return { connection: { connectionString: env.databaseUrl }, secretKey: env.secretKey! }
  const embedded = await startEmbedded({ dataDir: env.dataDir, log })
  closing.add('PostgreSQL', embedded.stop)
  const { host, port, user, database } = embedded.connection
  const query = new URLSearchParams({ host, port: String(port), user })
  return {
    connection: { connectionString: `postgres:///${database}?${query}` },
    secretKey: env.secretKey ?? (await ownSecretKey(env.dataDir)),
  }
}

function workerEnvironment({ connectionString }: Connection, secretKey: string) {
  return { ...process.env, DATABASE_URL: connectionString, SECRET_KEY: secretKey }
}

/** Stops accepting and waits for running requests, up to 25 s or until `hurry`; then it cuts them. */
async function drain(app: FastifyInstance, hurry: AbortSignal): Promise<void> {
  const cut = () => app.server.closeAllConnections()
  const late = setTimeout(cut, DRAIN)
  hurry.addEventListener('abort', cut)
  if (hurry.aborted) cut()
  await app.close()
  clearTimeout(late)
}

/** "Every address" is IPv6 and IPv4 where the system has both. */
async function listen(app: FastifyInstance, { host, port }: Env): Promise<void> {
  const hosts = host === '0.0.0.0' ? ['::', host] : [host]
  for (const [at, name] of hosts.entries()) {
    try {
      await app.listen({ host: name, port, listenTextResolver: (address) => `listening on ${address}` })
      return
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const noSuchFamily = code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL'
      if (noSuchFamily && at < hosts.length - 1) continue
      if (code === 'EADDRINUSE') throw new StartError(`Port ${port} is in use by another program. Stop it, or set PORT to another number.`)
      if (code === 'EACCES') throw new StartError(`This user may not listen on port ${port}. Set PORT to a number above 1023.`)
      throw new StartError(`Cannot listen on ${host}, port ${port}: ${message}.`)
    }
  }
}

async function greet({ env, db }: Context, app: FastifyInstance): Promise<void> {
  const { port } = app.server.address() as AddressInfo
  const url = env.appUrl ?? `http://localhost:${port}`
  console.log(`Razorbill is ready: ${url}`)
  if (!(await anyUser(db))) console.log(`The first account to sign up becomes the administrator: open ${url}/auth/signUp`)
}

/** Runs until it is told to stop; resolves with the exit code. */
async function main(): Promise<void> {
  const env = readEnv(process.env)
  const log = createLog(env.logLevel, 'server')
  const server: Process = { env, log, closing: closeInReverse(log), hurry: new AbortController() }
  const stopped = new AbortController()
  const starting = start(server, stopped.signal)

  async function stop(exitCode: number): Promise<void> {
    if (stopped.signal.aborted) return
    stopped.abort()
    setTimeout(() => process.exit(1), LONGEST_STOP).unref()
    await starting.catch(() => {})
    await server.closing.close()
    process.exit(exitCode)
  }

  onSignals(
    (signal) => {
      log.info({ signal }, 'stopping: running requests may finish; again to stop at once')
      stop(0)
    },
    () => server.hurry.abort(),
  )
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'unexpected failure; stopping')
    stop(1)
  })
  try {
    await starting
  } catch (error) {
    if (!stopped.signal.aborted) report(error)
    await stop(1)
  }
}

function report(error: unknown): void {
  if (error instanceof EnvError || error instanceof StartError) console.error(error.message)
  else console.error(error)
}

main().catch((error) => {
  report(error)
  process.exitCode = 1
})

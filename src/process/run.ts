import { inspect } from 'node:util'
import { type Env, EnvError, readEnv } from '../env.ts'
import { StartError } from '../errors.ts'
import { failRequest } from '../http/stray-errors.ts'
import { createLog } from '../log.ts'
import { failJob } from '../queue/job-scope.ts'
import { type Closer, createCloser } from './closing.ts'
import { logConsole } from './console.ts'
import { collectWhenIdle } from './idle-garbage.ts'
import { onSignals } from './signals.ts'

/** What the `start` function of a process receives. */
export interface Running {
  env: Env
  log: ReturnType<typeof createLog>
  /** Resources that are closed in reverse order at the end. */
  closing: Closer
  /** Aborts when the process starts to shut down. */
  stopping: AbortSignal
  /** Aborts when the process must exit at once. */
  force: AbortSignal
  /** Shuts down as after a signal. */
  stop(exitCode: number): void
}

/**
 * Runs a process until a signal, then closes what `start` has opened and exits with code 0. A
 * second signal forces the shutdown, which takes at most `stopTimeout` ms. A failed start prints
 * the reason and exits with code 1.
 *
 * An uncaught error fails the request or the job that it belongs to. A server that has started logs
 * any other error and continues, because its state is in PostgreSQL, whose transactions end with
 * their connections. A worker exits, so that no job stays open without reaching another worker.
 */
export async function run(
  role: 'server' | 'worker',
  stopTimeout: (env: Env) => number,
  start: (running: Running) => Promise<void>,
): Promise<void> {
  const env = readEnvironment()
  if (!env) return
  const log = createLog(env.logLevel, role)
  logConsole(log)
  const isChild = role === 'worker' && process.send !== undefined
  if (!isChild) for (const warning of env.warnings) log.warn({ warning }, 'environment variable without effect')
  const closing = createCloser(log)
  const stopping = new AbortController()
  const force = new AbortController()
  const running: Running = { env, log, closing, stopping: stopping.signal, force: force.signal, stop }
  let isStarted = false
  const starting = Promise.resolve(running).then(start)

  async function stop(exitCode: number): Promise<void> {
    if (stopping.signal.aborted) return
    stopping.abort()
    setTimeout(() => process.exit(1), stopTimeout(running.env)).unref()
    await starting.catch(() => {})
    await closing.close()
    process.exit(exitCode)
  }

  onSignals(
    (signal) => {
      log.info({ signal }, 'shutting down gracefully; repeat the signal to force')
      stop(0)
    },
    () => force.abort(),
  )
  process.on('uncaughtException', (err) => {
    if (failRequest(err)) return
    if (failJob(err)) {
      log.error({ err }, 'unexpected error in a job')
      return
    }
    if (role === 'server' && isStarted && !stopping.signal.aborted) {
      log.error({ err }, 'unexpected error outside of a request')
      return
    }
    log.fatal({ err }, 'unexpected error; shutting down')
    stop(1)
  })
  try {
    await starting
    isStarted = true
    collectWhenIdle()
  } catch (error) {
    if (!stopping.signal.aborted) report(error)
    await stop(1)
  }
}

function readEnvironment(): Env | null {
  try {
    return readEnv(process.env)
  } catch (error) {
    report(error)
    process.exitCode = 1
    return null
  }
}

function report(error: unknown): void {
  const text = error instanceof EnvError || error instanceof StartError ? error.message : inspect(error)
  process.stderr.write(`${text}\n`)
}

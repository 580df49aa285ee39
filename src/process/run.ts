import { type Env, EnvError, readEnv } from '../env.ts'
import { StartError } from '../errors.ts'
import { failRequest } from '../http/stray-errors.ts'
import { createLog } from '../log.ts'
import { type Closer, createCloser } from './closing.ts'
import { onSignals } from './signals.ts'

/** What a process has from its first moment on. */
export interface Running {
  env: Env
  log: ReturnType<typeof createLog>
  /** What has been opened, and is closed in reverse at the end. */
  closing: Closer
  /** Aborts when the process begins to stop. */
  stopping: AbortSignal
  /** Aborts when it is to stop at once. */
  force: AbortSignal
  /** Stops as a signal would. */
  stop(exitCode: number): void
}

/**
 * Runs a process from its environment until a signal: it then closes what `start` has opened and ends with code 0; at the second signal it hurries, and after
 * `longestStop` ms it ends whatever is open. When it cannot start it says why, in sentences where the reason is known, and ends with code 1.
 *
 * An error that nothing has caught fails the request that it belongs to. A server that has started logs any other one and continues: its state is in
 * PostgreSQL, whose transactions end with their connections. A worker ends, because a job that stays open would never be taken up by another one.
 */
export async function run(
  role: 'server' | 'worker',
  longestStop: (env: Env) => number,
  start: (running: Running) => Promise<void>,
): Promise<void> {
  const env = environment()
  if (!env) return
  const log = createLog(env.logLevel, role)
  const closing = createCloser(log)
  const stopping = new AbortController()
  const force = new AbortController()
  const running: Running = { env, log, closing, stopping: stopping.signal, force: force.signal, stop }
  let isStarted = false
  const starting = Promise.resolve(running).then(start)

  async function stop(exitCode: number): Promise<void> {
    if (stopping.signal.aborted) return
    stopping.abort()
    setTimeout(() => process.exit(1), longestStop(running.env)).unref()
    await starting.catch(() => {})
    await closing.close()
    process.exit(exitCode)
  }

  onSignals(
    (signal) => {
      log.info({ signal }, 'stopping: what is in hand may finish; again to stop at once')
      stop(0)
    },
    () => force.abort(),
  )
  process.on('uncaughtException', (err) => {
    if (failRequest(err)) return
    if (role === 'server' && isStarted && !stopping.signal.aborted) {
      log.error({ err }, 'unexpected error outside of a request')
      return
    }
    log.fatal({ err }, 'unexpected failure; stopping')
    stop(1)
  })
  try {
    await starting
    isStarted = true
  } catch (error) {
    if (!stopping.signal.aborted) report(error)
    await stop(1)
  }
}

function environment(): Env | null {
  try {
    return readEnv(process.env)
  } catch (error) {
    report(error)
    process.exitCode = 1
    return null
  }
}

function report(error: unknown): void {
  console.error(error instanceof EnvError || error instanceof StartError ? error.message : error)
}

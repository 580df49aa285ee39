import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { MetricEvent } from '../metrics/metrics.ts'
import { compileCache } from './compile-cache.ts'

interface Log {
  info(details: object, message: string): void
  error(details: object, message: string): void
}

/** The worker of a server. */
export interface ServerWorker {
  /** Lets the worker release its jobs and end. After 15 s it is abandoned, and a process killed. */
  stop(): Promise<void>
  /** Abandons the worker at once. Other workers, or the next start, continue its jobs. */
  kill(): void
}

const program = fileURLToPath(new URL('../../worker/main.ts', import.meta.url))
/** Milliseconds that a worker has to release its jobs. */
export const STOP_TIMEOUT = 15_000
const FIRST_DELAY = 500 // ms before a restart, doubled after each early exit
const MAX_DELAY = 30_000 // ms
const EARLY_EXIT = 60_000 // ms; a worker that ran longer is restarted with the first delay

/**
 * Runs the worker in a child process and restarts it whenever it exits. Secrets pass through the
 * environment, because command lines are public. The worker exits when the channel to this process
 * closes, and sends its metrics to `recordMetric` over that channel.
 */
export function startWorkerProcess(
  environment: Record<string, string | undefined>,
  log: Log,
  recordMetric: (event: MetricEvent) => void,
): ServerWorker {
  let child: ChildProcess
  let delay = FIRST_DELAY
  let restart: NodeJS.Timeout | undefined
  let stopping = false

  function start(): void {
    const startedAt = performance.now()
    child = fork(program, [], { env: { ...environment, NODE_COMPILE_CACHE: compileCache }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    child.on('message', (event) => recordMetric(event as MetricEvent))
    child.once('error', (err) => log.error({ err }, 'worker could not be started'))
    child.once('exit', (code, signal) => {
      if (stopping) return
      if (performance.now() - startedAt > EARLY_EXIT) delay = FIRST_DELAY
      log.error({ code, signal, delay }, 'worker exited; restarting')
      restart = setTimeout(start, delay)
      delay = Math.min(delay * 2, MAX_DELAY)
    })
  }

  start()
  return {
    async stop() {
      stopping = true
      clearTimeout(restart)
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = new Promise((resolve) => child.once('exit', resolve))
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT)
      if (child.connected) child.disconnect()
      await exited
      clearTimeout(timer)
    },
    kill() {
      stopping = true
      clearTimeout(restart)
      child.kill('SIGKILL')
    },
  }
}

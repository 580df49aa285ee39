import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { MetricEvent } from '../metrics/metrics.ts'
import { compileCache } from './compile-cache.ts'

interface Log {
  info(details: object, message: string): void
  error(details: object, message: string): void
}

export interface WorkerProcess {
  /** Lets it give its jobs back and end; kills it after 15 s. */
  stop(): Promise<void>
  /** Kills it at once; other workers, or the next start, take its jobs up. */
  kill(): void
}

const program = fileURLToPath(new URL('../../worker/main.ts', import.meta.url))
const LONGEST_STOP = 15_000 // ms
const FIRST_PAUSE = 500 // ms before it is started again, doubled each time it dies soon
const LONGEST_PAUSE = 30_000
const SETTLED = 60_000 // ms after which a death is no longer a sign of more to come

/**
 * Runs the worker beside the server, in a process of its own, and starts it again whenever it ends. It is told what it needs by its environment, never on
 * the command line, and notices by the closed channel that this process is gone. What it counts
 * comes to `note` over that channel.
 */
export function startWorkerProcess(
  environment: Record<string, string | undefined>,
  log: Log,
  note: (event: MetricEvent) => void,
): WorkerProcess {
  let child: ChildProcess
  let pause = FIRST_PAUSE
  let restart: NodeJS.Timeout | undefined
  let stopping = false

  function start(): void {
    const started = performance.now()
    child = fork(program, [], { env: { ...environment, NODE_COMPILE_CACHE: compileCache }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    child.on('message', (event) => note(event as MetricEvent))
    child.once('error', (err) => log.error({ err }, 'worker could not be started'))
    child.once('exit', (code, signal) => {
      if (stopping) return
      if (performance.now() - started > SETTLED) pause = FIRST_PAUSE
      log.error({ code, signal, pause }, 'worker ended; starting it again')
      restart = setTimeout(start, pause)
      pause = Math.min(pause * 2, LONGEST_PAUSE)
    })
  }

  start()
  return {
    async stop() {
      stopping = true
      clearTimeout(restart)
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      const late = setTimeout(() => child.kill('SIGKILL'), LONGEST_STOP)
      if (child.connected) child.disconnect()
      await ended
      clearTimeout(late)
    },
    kill() {
      stopping = true
      clearTimeout(restart)
      child.kill('SIGKILL')
    },
  }
}

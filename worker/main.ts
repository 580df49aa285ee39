import { closeInReverse } from '../src/closing.ts'
import { StartError } from '../src/data-dir.ts'
import { EnvError, readEnv } from '../src/env.ts'
import { createLog } from '../src/log.ts'
import { openContext } from '../src/open-context.ts'
import { jobNames } from '../src/queue/jobs.ts'
import { onSignals } from '../src/signals.ts'
import { keepSchedule } from './schedule.ts'
import { startWorkers } from './workers.ts'

const LONGEST_STOP = 10_000 // ms; jobs that are still held then are taken up by the next worker when their locks run out
const QUEUE_CONNECTIONS = 2 * jobNames.length + 2

/** Works on jobs until it is told to stop: by a signal, or, beside a server, by the end of the channel to it. */
async function main(): Promise<void> {
  const env = readEnv(process.env)
  const log = createLog(env.logLevel, 'worker')
  const closing = closeInReverse(log)
  const stopped = new AbortController()
  const starting = start()

  async function start(): Promise<void> {
    if (!env.databaseUrl || !env.secretKey) {
      throw new StartError('Set DATABASE_URL and SECRET_KEY. Without them "npm start" runs a worker of its own beside the server.')
    }
    const connection = { connectionString: env.databaseUrl }
    const options = { connection, secretKey: env.secretKey, queueConnections: QUEUE_CONNECTIONS, signal: stopped.signal }
    const { ctx, queueConnection, close } = await openContext(env, log, options)
    closing.add('context', close)
    const workers = startWorkers(ctx, queueConnection)
    closing.add('workers', workers.close)
    const schedule = await keepSchedule(queueConnection, log)
    closing.add('schedule', schedule.close)
    log.info({ jobs: jobNames }, 'worker is ready')
  }

  async function stop(exitCode: number): Promise<void> {
    if (stopped.signal.aborted) return
    stopped.abort()
    setTimeout(() => process.exit(1), LONGEST_STOP).unref()
    await starting.catch(() => {})
    await closing.close()
    process.exit(exitCode)
  }

  onSignals(
    (signal) => {
      log.info({ signal }, 'stopping: jobs go back')
      stop(0)
    },
    () => process.exit(1),
  )
  process.once('disconnect', () => stop(0))
  if (process.channel === null) stop(0) // the server has gone while this program was being loaded
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

import { StartError } from '../src/errors.ts'
import { createMetrics, forwardedMetrics, type MetricEvent } from '../src/metrics/metrics.ts'
import { serveMetrics } from '../src/metrics/server.ts'
import { openContext } from '../src/process/open-context.ts'
import { poolSizes } from '../src/process/pool-sizes.ts'
import { run } from '../src/process/run.ts'
import { startJobs } from './start.ts'

const STOP_TIMEOUT = 10_000 // ms; the next worker continues jobs that are still held when their locks expire

/** Processes jobs until a signal or, beside a server, until the channel to the server closes. */
await run(
  'worker',
  () => STOP_TIMEOUT,
  async ({ env, log, closing, stopping, force, stop }) => {
    process.once('disconnect', () => stop(0))
    if (process.channel === null) stop(0) // the server exited while this program was loading
    force.addEventListener('abort', () => process.exit(1))
    if (!env.databaseUrl || !env.secretKey) {
      throw new StartError('Set DATABASE_URL and SECRET_KEY. Without them "npm start" runs the worker together with the server.')
    }
    const connection = { connectionString: env.databaseUrl }
    const metrics = process.send ? forwardedMetrics(sendToServer) : createMetrics({ ofProcess: true })
    const options = {
      connection,
      secretKey: env.secretKey,
      metrics,
      poolSize: poolSizes(env, process.send === undefined).worker,
      signal: stopping,
    }
    const { ctx, queueConnection, close } = await openContext(env, log, options)
    closing.add('context', close)
    const { host, metricsPort: port, metricsToken: token } = env
    if (port !== null && !process.send) closing.add('metrics', (await serveMetrics({ host, port, token, text: metrics.text, log })).close)
    closing.add('worker', startJobs(ctx, queueConnection).close)
  },
)

/**
 * Sends a metric to the server. Errors are ignored, because they mean that the server has exited.
 */
function sendToServer(event: MetricEvent): void {
  if (process.connected) process.send?.(event, undefined, undefined, () => {})
}

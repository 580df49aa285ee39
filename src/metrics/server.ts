import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StartError } from '../errors.ts'
import { metricsType } from './metrics.ts'
import { hasMetricsToken } from './route.ts'

interface Options {
  host: string
  port: number
  /** Required as a bearer token; null: none. */
  token: string | null
  text(): Promise<string>
  log: { info(details: object, message: string): void; error(details: object, message: string): void }
}

/**
 * Serves only `/metrics` on a separate port, which must not be reachable from outside.
 * @throws {StartError} the port can't be used
 */
export async function serveMetrics({ host, port, token, text, log }: Options): Promise<{ close(): Promise<void> }> {
  const server = createServer(async ({ method, url, headers }, response) => {
    if (!/^\/metrics(\?|$)/.test(url ?? '')) return end(response, 404)
    if (method !== 'GET' && method !== 'HEAD') return end(response.setHeader('allow', 'GET, HEAD'), 405)
    if (token !== null && !hasMetricsToken(headers.authorization, token)) return end(response.setHeader('www-authenticate', 'Bearer'), 401)
    try {
      const body = await text()
      response.setHeader('content-type', metricsType).end(body)
    } catch (err) {
      log.error({ err }, 'metrics could not be collected')
      end(response, 500)
    }
  })
  server.listen(port, host === '0.0.0.0' ? undefined : host) // undefined: all addresses, including IPv6 if available
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new StartError(`Cannot serve metrics on port ${port}: ${(error as Error).message}. Set METRICS_PORT to another number.`)
  }
  log.info({ port: (server.address() as AddressInfo).port }, 'serving metrics')
  return {
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end()
}

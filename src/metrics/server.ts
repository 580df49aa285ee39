import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StartError } from '../errors.ts'
import { allowed } from './allowed.ts'
import { metricsType } from './metrics.ts'

interface Options {
  host: string
  port: number
  /** Asked for as a bearer token where there is one. */
  token: string | null
  text(): Promise<string>
  log: { info(details: object, message: string): void; error(details: object, message: string): void }
}

/** Serves `/metrics` alone on a port of its own, which no proxy should lead to. Throws StartError when it cannot listen there. */
export async function serveMetrics({ host, port, token, text, log }: Options): Promise<{ close(): Promise<void> }> {
  const server = createServer(async ({ method, url, headers }, response) => {
    if (!/^\/metrics(\?|$)/.test(url ?? '')) return end(response, 404)
    if (method !== 'GET' && method !== 'HEAD') return end(response.setHeader('allow', 'GET, HEAD'), 405)
    if (token !== null && !allowed(headers.authorization, token)) return end(response.setHeader('www-authenticate', 'Bearer'), 401)
    try {
      const body = await text()
      response.setHeader('content-type', metricsType).end(body)
    } catch (err) {
      log.error({ err }, 'metrics could not be collected')
      end(response, 500)
    }
  })
  server.listen(port, host === '0.0.0.0' ? undefined : host) // without a host: every address, of IPv6 too where there is one
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new StartError(`Cannot serve metrics on port ${port}: ${(error as Error).message}. Set METRICS_PORT to another number.`)
  }
  log.info({ port: (server.address() as AddressInfo).port }, 'metrics are served')
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

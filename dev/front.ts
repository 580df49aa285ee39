import { realpathSync } from 'node:fs'
import { type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type ViteDevServer } from 'vite'

const root = join(import.meta.dirname, '..')
const longestStart = 30_000 // ms that a request waits for the API to restart

/**
 * Serves modules from Vite, with hot module replacement, and everything else from the API on
 * `apiPort`.
 */
export async function createFront(server: Server, apiPort: number): Promise<{ close(): Promise<void> }> {
  const vite = await createServer({
    configFile: join(root, 'web/build/vite.config.ts'),
    appType: 'custom',
    server: { middlewareMode: true, ws: { server }, fs: { allow: [root, realpathSync(join(root, 'node_modules'))] } },
  })
  server.on('request', (incoming, response) => {
    if (incoming.url === '/@render') void render(vite, incoming, response)
    else if (isForApi(incoming)) void proxy(vite, apiPort, incoming, response)
    else vite.middlewares(incoming, response, () => void proxy(vite, apiPort, incoming, response))
  })
  return { close: () => vite.close() }
}

function isForApi({ method, url = '', headers }: IncomingMessage): boolean {
  return !['GET', 'HEAD'].includes(method ?? '') || /^\/api(\/|$|\?)/.test(url) || headers.accept?.includes('text/html') === true
}

/** Renders the share page for the API from the current modules. */
async function render(vite: ViteDevServer, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { renderSharePage } = await vite.ssrLoadModule('/server/share-page.tsx')
    response.end(JSON.stringify(await renderSharePage(JSON.parse(await text(incoming)))))
  } catch (error) {
    vite.ssrFixStacktrace(error as Error)
    response.writeHead(500).end((error as Error).stack)
  }
}

async function proxy(vite: ViteDevServer, port: number, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url: path = '/', headers } = incoming
  const fail = (error: Error) => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end(`The API does not respond: ${error.message}`)
  }
  try {
    await waitForPort(port)
  } catch (error) {
    return fail(error as Error)
  }
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false })
  outgoing.on('error', fail)
  outgoing.on('response', (reply) => sendReply(vite, path, reply, response).catch(fail))
  response.on('close', () => outgoing.destroy())
  incoming.pipe(outgoing)
}

async function waitForPort(port: number): Promise<void> {
  const deadline = Date.now() + longestStart
  while (!(await isOpen(port))) {
    if (Date.now() > deadline) throw new Error('it has not started')
    await sleep(100)
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

/**
 * Passes a response on. Pages of the application get Vite's client, with the nonce of their policy
 * in place of Vite's placeholder.
 */
async function sendReply(vite: ViteDevServer, path: string, reply: IncomingMessage, response: ServerResponse): Promise<void> {
  const { statusCode = 502, headers } = reply
  const policy = String(headers['content-security-policy'])
  const [, nonce] = /'nonce-([^']+)' 'strict-dynamic'/.exec(policy) ?? []
  if (!nonce) {
    response.writeHead(statusCode, headers)
    reply.pipe(response)
    return
  }
  const html = await vite.transformIndexHtml(path, await text(reply))
  const { 'content-length': _, ...others } = headers
  response.writeHead(statusCode, { ...others, 'content-security-policy': developmentPolicy(policy) })
  response.end(html.replaceAll('__nonce__', nonce))
}

/** Allows the blob worker in which Vite's client waits for a restarted server. */
function developmentPolicy(policy: string): string {
  return policy.replace("worker-src 'self'", "worker-src 'self' blob:")
}

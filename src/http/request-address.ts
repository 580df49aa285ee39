import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const addressMax = 64 // characters; a proxy may forward arbitrary text
const addresses = new AsyncLocalStorage<string>()

/**
 * Returns a request's IP address, or the text that a trusted proxy forwards, at most 64 characters.
 * It is empty once the connection was reset, whatever the type of `request.ip` says.
 */
export function addressOf({ ip = '' }: Partial<Pick<FastifyRequest, 'ip'>>): string {
  return ip.replace(/^::ffff:(?=[\d.]+$)/i, '').slice(0, addressMax)
}

/**
 * Makes the address available to `requestAddress` in all code that a request runs. Reading a body
 * leaves the context of the first hook, so a second hook restores it.
 */
export function trackAddresses(app: FastifyInstance): void {
  for (const hook of ['onRequest', 'preValidation'] as const) {
    app.addHook(hook as 'onRequest', (request, _reply, done) => addresses.run(addressOf(request), done))
  }
}

/** Returns the address of the current request; null outside of requests. */
export function requestAddress(): string | null {
  return addresses.getStore() ?? null
}

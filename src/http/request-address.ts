import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const addressMax = 64 // characters; a proxy may pass on anything
const addresses = new AsyncLocalStorage<string>()

/** Returns where a request comes from: an IP address, or what a trusted proxy passes on in its place, cut to 64 characters. */
export function addressOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  return ip.replace(/^::ffff:(?=[\d.]+$)/i, '').slice(0, addressMax)
}

/** Lets `requestAddress` know the address everywhere in a request's work. Reading a body leaves the first hook's context, so that a second one follows it. */
export function trackAddresses(app: FastifyInstance): void {
  for (const hook of ['onRequest', 'preValidation'] as const) {
    app.addHook(hook as 'onRequest', (request, _reply, done) => addresses.run(addressOf(request), done))
  }
}

/** Returns the address of the request that is being served; null outside of requests. */
export function requestAddress(): string | null {
  return addresses.getStore() ?? null
}

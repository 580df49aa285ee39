import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { release } from '../streams/release.ts'

export interface AgentPair {
  httpAgent: HttpAgent
  httpsAgent: HttpsAgent
}

const FREE_SOCKET = 4_000 // ms; servers close idle connections (some after 5 s), and a part sent into one that is just closing cannot be sent again

/** Agents that keep connections alive, at most `maxSockets` of each; `ca` takes the place of the authorities that are trusted. */
export function agentPair(maxSockets: number, ca: string[] | undefined): AgentPair {
  const options = { keepAlive: true, maxSockets, timeout: FREE_SOCKET, scheduling: 'lifo' as const }
  return { httpAgent: new FrugalHttpAgent(options), httpsAgent: new FrugalHttpsAgent({ ...options, ...(ca && { ca }) }) }
}

class FrugalHttpAgent extends HttpAgent {
  override createConnection(...args: Parameters<HttpAgent['createConnection']>) {
    return frugal(super.createConnection(...args))
  }
}

class FrugalHttpsAgent extends HttpsAgent {
  override createConnection(...args: Parameters<HttpsAgent['createConnection']>) {
    return frugal(super.createConnection(...args))
  }
}

/**
 * Frees what was read from the connection as soon as the parser has copied the body out of it, which it does at once: left to the garbage collector, it
 * makes up 50 MB and a third of the work of a download.
 */
function frugal<S extends Duplex | null | undefined>(socket: S): S {
  socket?.on('data', (bytes: Buffer) => queueMicrotask(() => release(bytes)))
  return socket
}

import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { release } from '../streams/receiver.ts'

export interface AgentPair {
  httpAgent: HttpAgent
  httpsAgent: HttpsAgent
}

/**
 * Idle time in ms after which a connection is closed. Some servers close theirs after 5 s, and a
 * part sent on a closing connection can't be sent again.
 */
const IDLE_TIMEOUT = 4_000

/**
 * Creates agents that keep connections alive, at most `maxSockets` each. `ca` replaces the trusted
 * certificate authorities.
 */
export function agentPair(maxSockets: number, ca: string[] | undefined): AgentPair {
  const options = { keepAlive: true, maxSockets, timeout: IDLE_TIMEOUT, scheduling: 'lifo' as const }
  return { httpAgent: new ReleasingHttpAgent(options), httpsAgent: new ReleasingHttpsAgent({ ...options, ...(ca && { ca }) }) }
}

class ReleasingHttpAgent extends HttpAgent {
  override createConnection(...args: Parameters<HttpAgent['createConnection']>) {
    return releasingReads(super.createConnection(...args))
  }
}

class ReleasingHttpsAgent extends HttpsAgent {
  override createConnection(...args: Parameters<HttpsAgent['createConnection']>) {
    return releasingReads(super.createConnection(...args))
  }
}

/**
 * Frees each buffer read from a connection once Node's HTTP parser is done with it. Left to the
 * garbage collector, these buffers take 50 MB and a third of a download's CPU time.
 *
 * WARNING: this detaches buffers that node:http received. It is safe only because the parser runs
 * synchronously in the `data` event and copies body chunks out, so that nothing refers to the
 * buffer in the next microtask. If a Node release hands out slices of it, bodies arrive empty:
 * `test/storage/s3-store.api.test.ts` compares every byte and must pass on each upgrade.
 */
function releasingReads<S extends Duplex | null | undefined>(socket: S): S {
  socket?.on('data', (bytes: Buffer) => queueMicrotask(() => release(bytes)))
  return socket
}

import { EventEmitter } from 'node:events'
import pg from 'pg'
import type { Connection } from '../db/connect.ts'
import { isOutage } from '../db/outage.ts'
import { watchReadOnly } from '../db/pool.ts'

/**
 * One connection for all BullMQ queues and workers of a process, in the form of a pool. BullMQ
 * itself would hold one connection for each kind of job.
 */
interface SharedClient {
  options: { keepAlive: true }
  query(text: string, values?: unknown[]): Promise<pg.QueryResult>
  /** Returns a view of the shared connection, with its own listeners. */
  connect(): Promise<ClientView>
  end(): Promise<void>
  on(event: 'error' | 'connect', listener: (error: Error) => void): unknown
  removeAllListeners(event?: 'error' | 'connect'): unknown
}

/** Opens the connection when it is first needed, and again after it broke. */
export function sharedClient(config: Connection & pg.ClientConfig): SharedClient {
  const events = new EventEmitter().setMaxListeners(0) // every queue and worker adds a listener
  let current: Promise<QueuedClient> | null = null
  let hasEnded = false

  function connected(): Promise<QueuedClient> {
    if (current) return current
    const client = new pg.Client(config)
    client.setMaxListeners(0)
    let failed = false
    const fail = (error: Error) => {
      if (failed) return
      failed = true
      if (current === opening) current = null
      client.end().catch(() => {})
      if (!hasEnded && events.listenerCount('error') > 0) events.emit('error', error)
    }
    client.on('error', fail)
    client.on('end', () => fail(new Error('Connection terminated')))
    const opening = client.connect().then(() => {
      watchReadOnly(client, () => fail(new Error('PostgreSQL is read-only')))
      return new QueuedClient(client)
    })
    opening.catch(() => {
      if (current === opening) current = null
    })
    current = opening
    return opening
  }

  return {
    options: { keepAlive: true },
    query: (text, values) => pausing(connected().then((client) => client.query(text, values))),
    connect: () => pausing(connected().then((client) => new ClientView(client))),
    on: (event, listener) => events.on(event, listener),
    removeAllListeners: (event) => events.removeAllListeners(event),
    async end() {
      hasEnded = true
      const client = await current?.catch(() => null)
      await client?.client.end()
    },
  }
}

/** Sends statements one after another, because `pg` expects that of its callers. */
class QueuedClient {
  readonly client: pg.Client
  #last: Promise<unknown> = Promise.resolve()

  constructor(client: pg.Client) {
    this.client = client
  }

  query(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    const result = this.#last.then(() => this.client.query(text, values as unknown[]))
    this.#last = result.catch(() => {})
    return result
  }
}

/**
 * A view of the shared connection for one worker, which gets all notifications and errors until it
 * is released.
 */
export class ClientView extends EventEmitter {
  readonly #queued: QueuedClient
  readonly #forwarders

  constructor(queued: QueuedClient) {
    super()
    this.#queued = queued
    const forward = (event: string) => (argument: unknown) => this.listenerCount(event) > 0 && this.emit(event, argument)
    this.#forwarders = { notification: forward('notification'), error: forward('error') }
    for (const [event, forwarder] of Object.entries(this.#forwarders)) queued.client.on(event as 'error', forwarder)
    queued.client.once('end', this.#onEnd)
  }

  readonly #onEnd = () => this.#forwarders.error(new Error('Connection terminated'))

  query(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    return this.#queued.query(text, values)
  }

  release(): void {
    const { client } = this.#queued
    for (const [event, forwarder] of Object.entries(this.#forwarders)) client.off(event as 'error', forwarder)
    client.off('end', this.#onEnd)
  }
}

/**
 * Turns errors of an unreachable PostgreSQL into ECONNREFUSED. BullMQ pauses before a retry only
 * after that, and otherwise retries in a tight loop.
 */
async function pausing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof pg.DatabaseError && !isOutage(error.code)) throw error
    throw Object.assign(new Error(`ECONNREFUSED: ${(error as Error).message}`, { cause: error }), { code: 'ECONNREFUSED' })
  }
}

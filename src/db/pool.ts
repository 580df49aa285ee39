import type { EventEmitter } from 'node:events'
import pg from 'pg'

const READ_ONLY = '25006' // SQLSTATE read_only_sql_transaction
const TOO_MANY_CONNECTIONS = '53300'
const REFUSAL_SHOWN = 10_000 // ms for which a refused connection makes the check fail

type ConnectCallback = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void

/** A pool that notices when PostgreSQL refuses connections or has become a read-only standby. */
export class WatchedPool extends pg.Pool {
  /** Called when a statement fails because the server is read-only. */
  onReadOnly = () => {}
  #readOnlySince = Number.NEGATIVE_INFINITY
  #refusedAt = Number.NEGATIVE_INFINITY
  readonly #connectedAt = new WeakMap<object, number>()

  constructor(config: pg.PoolConfig) {
    super(config)
    this.on('connect', (client) => {
      this.#connectedAt.set(client, performance.now())
      watchReadOnly(client, () => {
        this.#readOnlySince = performance.now()
        this.onReadOnly()
      })
    })
    // After a failover, a connection to the former primary must not serve outdated rows.
    this.on('release', (_error, client) => {
      if ((this.#connectedAt.get(client) ?? 0) <= this.#readOnlySince) (client as pg.PoolClient & pg.Client).end().catch(() => {})
    })
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    if (callback) {
      super.connect((error, client, done) => {
        if (error) this.recordFailure(error)
        callback(error, client, done)
      })
      return
    }
    return super.connect().catch((error: Error) => {
      this.recordFailure(error)
      throw error
    })
  }

  /** Rejects with a sentence for the operator if statements that write can't succeed now. */
  async check(): Promise<void> {
    const { rows } = await this.query("select current_setting('transaction_read_only') as read_only")
    if (rows[0]?.read_only === 'on') {
      this.#readOnlySince = performance.now()
      throw new Error('PostgreSQL is read-only: it is a standby, or being switched over.')
    }
    if (performance.now() - this.#refusedAt < REFUSAL_SHOWN) {
      throw new Error('PostgreSQL has no connection left. Lower DATABASE_POOL, or raise the limit of the role, database or server.')
    }
  }

  /** Remembers that PostgreSQL refused a connection, of this pool or of another. */
  recordFailure(error: unknown): void {
    if (error instanceof pg.DatabaseError && error.code === TOO_MANY_CONNECTIONS) this.#refusedAt = performance.now()
  }
}

/** Calls `report` whenever the server refuses a statement because it is read-only. */
export function watchReadOnly(client: pg.ClientBase, report: () => void): void {
  const { connection } = client as unknown as { connection: EventEmitter }
  connection.on('errorMessage', ({ code }: { code?: string }) => {
    if (code === READ_ONLY) report()
  })
}

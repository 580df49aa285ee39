import { setTimeout as sleep } from 'node:timers/promises'
import { lockDataDir } from '../process/data-dir.ts'
import { ROLE } from './embedded/access.ts'
import { findFormerBinaries } from './embedded/binaries.ts'
import { prepareDatabase } from './embedded/database.ts'
import { openServer, type Server, type ServerOptions } from './embedded/server.ts'
import { upgradeCluster } from './embedded/upgrade.ts'

const DATABASE = 'razorbill'

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

interface EmbeddedOptions {
  /** Created if it is missing. PostgreSQL's files are in its subfolder `postgres`. */
  dataDir: string
  log: Log
  maxConnections?: number
  /** False: no fsync, for tests. */
  durable?: boolean
  /** A file next to the node_modules with former PostgreSQL versions; default: Razorbill's own. */
  formerPrograms?: string
}

/** Connection parameters for `pg`. */
export interface Socket {
  host: string
  port: number
  user: string
  database: string
}

export interface Embedded {
  socketDir: string
  port: number
  connection: Socket
  /**
   * Stops PostgreSQL and unlocks the data folder. Close the pools first: open connections are cut.
   */
  stop(): Promise<void>
}

/**
 * Runs PostgreSQL on `dataDir` with a database `razorbill`, and restarts it if it exits. Data of a
 * former PostgreSQL version is upgraded first. No kill of any process requires a manual step.
 * @throws {StartError} the data folder is in use or belongs to another PostgreSQL version, or
 * PostgreSQL can't run here
 */
export async function startEmbedded(embeddedOptions: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, log, maxConnections = 100, durable = true, formerPrograms } = embeddedOptions
  const lock = lockDataDir(dataDir)
  const options = { dataDir: lock.path, maxConnections, durable, onLog: (line: string) => forward(log, line) }
  try {
    await upgradeCluster(options, DATABASE, (major) => findFormerBinaries(major, formerPrograms), log)
    const server = await openWithDatabase(options)
    const connection = connectionTo(server)
    log.info(
      { socketDir: server.socketDir, pid: server.pid },
      server.adopted ? 'using a PostgreSQL that is already running' : 'PostgreSQL started',
    )
    const supervised = supervise(server, options, log)
    const stop = async () => {
      await supervised.stop()
      lock.release()
    }
    return { socketDir: server.socketDir, port: server.port, connection, stop }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** FATAL concerns one connection and is normal while the server starts and stops. */
function forward(log: Log, line: string): void {
  const level = line.startsWith('PANIC:') ? 'error' : line.startsWith('FATAL:') ? 'warn' : 'info'
  log[level]({}, `PostgreSQL: ${line}`)
}

/** Retries with a new server if an adopted one is shutting down. */
async function openWithDatabase(options: ServerOptions): Promise<Server> {
  for (;;) {
    const server = await openServer(options)
    try {
      await prepareDatabase(server, DATABASE, server.isNew)
      return server
    } catch (error) {
      await server.stop()
      if (!server.adopted) throw error
    }
  }
}

function connectionTo({ socketDir, port }: Server): Socket {
  return { host: socketDir, port, user: ROLE, database: DATABASE }
}

/** Restarts a server on the same socket until it is stopped. Clients reconnect on their own. */
function supervise(first: Server, options: ServerOptions, log: Log): { stop(): Promise<void> } {
  let server = first
  let stopping = false

  async function watch(): Promise<void> {
    await server.ended
    while (!stopping) {
      log.error({ pid: server.pid }, 'PostgreSQL exited unexpectedly; restarting')
      try {
        server = await openServer(options)
        if (stopping) await server.stop()
        await server.ended
      } catch (err) {
        log.error({ err }, 'PostgreSQL could not be restarted')
        await sleep(1000)
      }
    }
  }

  const watching = watch()
  return {
    async stop() {
      stopping = true
      await server.stop()
      await watching
    },
  }
}

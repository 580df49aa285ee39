import { setTimeout as sleep } from 'node:timers/promises'
import { lockDataDir } from '../process/data-dir.ts'
import { ROLE } from './embedded/access.ts'
import { prepareDatabase } from './embedded/database.ts'
import { openServer, type Server, type ServerOptions } from './embedded/server.ts'

const DATABASE = 'razorbill'

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export interface EmbeddedOptions {
  /** Made where it is missing; PostgreSQL's files are in `postgres` below it. */
  dataDir: string
  log: Log
  maxConnections?: number
  /** False: no fsync, for tests. */
  durable?: boolean
}

/** How clients reach the server; what `pg` takes as its configuration. */
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
  /** Close the pools first: open connections are cut. Resolves when PostgreSQL has ended and the data folder is free. */
  stop(): Promise<void>
}

/**
 * Runs PostgreSQL on `dataDir` for this process alone, with a database `razorbill`, and starts it again should it end; no manual step after any kind of kill.
 * Throws StartError when the data folder is in use, was made by another PostgreSQL version, or PostgreSQL cannot run here.
 */
export async function startEmbedded({ dataDir, log, maxConnections = 100, durable = true }: EmbeddedOptions): Promise<Embedded> {
  const lock = lockDataDir(dataDir)
  const options = { dataDir: lock.path, maxConnections, durable, onLog: (line: string) => forward(log, line) }
  try {
    const server = await openWithDatabase(options)
    const connection = connectionTo(server)
    log.info({ socketDir: server.socketDir, pid: server.pid }, server.adopted ? 'PostgreSQL was running already' : 'PostgreSQL is running')
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

/** FATAL ends one connection and is routine while the server starts and stops. */
function forward(log: Log, line: string): void {
  const level = line.startsWith('PANIC:') ? 'error' : line.startsWith('FATAL:') ? 'warn' : 'info'
  log[level]({}, `PostgreSQL: ${line}`)
}

/** A server found running may have been told to stop just before, and then ends when it is wanted: it is waited for and started anew. */
async function openWithDatabase(options: ServerOptions): Promise<Server> {
  for (;;) {
    const server = await openServer(options)
    try {
      await prepareDatabase(server, DATABASE)
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

/** Keeps a server running on the same socket until it is stopped; clients connect again by themselves. */
function supervise(first: Server, options: ServerOptions, log: Log): { stop(): Promise<void> } {
  let server = first
  let stopping = false

  async function watch(): Promise<void> {
    await server.ended
    while (!stopping) {
      log.error({ pid: server.pid }, 'PostgreSQL ended unexpectedly; starting it again')
      try {
        server = await openServer(options)
        if (stopping) await server.stop()
        await server.ended
      } catch (err) {
        log.error({ err }, 'PostgreSQL does not start')
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

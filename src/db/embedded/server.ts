import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeAccess } from './access.ts'
import { accountFor } from './account.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { clusterExists, createCluster, programStartError } from './cluster.ts'
import { folderArgument, type LaunchOptions, launch } from './launch.ts'
import { writeNames } from './naming.ts'
import { takeOwnership } from './ownership.ts'
import { disownPidFile, findRunningServer, isAlive, isServerOf, type Postmaster, readPostmaster } from './postmaster.ts'
import { programsFor } from './programs.ts'
import { makeSocketDir, PORT, removeSocketDir, socketDirOf } from './socket-dir.ts'

export interface ServerOptions {
  /** The real path of a folder that the caller has locked. */
  dataDir: string
  /** The name of PostgreSQL's folder in `dataDir`; default: `postgres`. */
  folder?: string
  /** The programs to run; default: those of this version. */
  programs?: Binaries
  maxConnections: number
  /** False: no fsync, for tests. A crash of the machine may then lose everything. */
  durable: boolean
  /**
   * With a log file, the server outlives this process. Without one it stops with this process, if
   * the system supports that.
   */
  logFile?: string
  onLog(line: string): void
}

export interface Server {
  pid: number
  socketDir: string
  port: number
  /** Whether the server was already running. */
  adopted: boolean
  /** Whether its data folder was created by this start. */
  isNew: boolean
  /** Resolves when the server has exited, for any reason. */
  ended: Promise<void>
  /**
   * Shuts down the server, which writes all data and cuts open connections, and waits for its exit.
   */
  stop(): Promise<void>
}

/**
 * Milliseconds for which a start waits for processes of a killed server to release shared memory.
 */
const SHARED_MEMORY_TIMEOUT = 30_000

/**
 * Starts a server, or adopts a running one, and waits until it accepts connections. Creates the
 * data folder if it is missing.
 * @throws {StartError} the data folder is not usable, or PostgreSQL can't run here
 */
export async function openServer(options: ServerOptions): Promise<Server> {
  const cluster = join(options.dataDir, options.folder ?? 'postgres')
  const account = accountFor(cluster)
  if (account.naming) writeNames(account.naming)
  const binaries = programsFor(account, options.programs ?? findBinaries())
  const socketDir = socketDirOf(cluster, account)
  const isNew = !clusterExists(cluster, binaries)
  if (isNew) await createCluster(cluster, binaries, account, options.durable)
  const running = await findRunningServer(cluster)
  if (running?.socketDir === socketDir) return adopt(running, cluster, options)
  if (running) await adopt(running, cluster, options).stop()
  takeOwnership(cluster, account)
  writeAccess(cluster, account)

  const launchOptions: LaunchOptions = { ...account, cluster, onParentDeath: options.logFile ? null : 'INT' }
  const args = ['-D', folderArgument(launchOptions), '-k', socketDir, ...settings(options, binaries).flatMap((setting) => ['-c', setting])]
  const deadline = Date.now() + SHARED_MEMORY_TIMEOUT
  for (;;) {
    disownPidFile(cluster, account)
    makeSocketDir(socketDir, account)
    const launched = launchServer(binaries.postgres, args, launchOptions, options)
    const ready = await waitUntilReady(launched, cluster)
    if (ready) return { ...(options.logFile ? adopt(ready, cluster, options) : serverOf(launched, ready)), adopted: false, isNew }
    const output = launched.output().trim()
    if (!output.includes('pre-existing shared memory block') || Date.now() > deadline) throw programStartError(binaries.postgres, output)
    await sleep(100)
  }
}

/**
 * Returns PostgreSQL's settings. They disable TCP, and save a third of its memory on a small machine.
 * Statements are not logged, because they may contain personal data.
 */
function settings({ maxConnections, durable }: ServerOptions, { major }: Binaries): string[] {
  const always = [
    'listen_addresses=',
    ...(Number(major) >= 18 ? readsWithoutProcesses : []),
    `max_connections=${maxConnections}`,
    'max_pred_locks_per_transaction=10', // no transaction is serializable
    'wal_buffers=1MB',
    ...noReplication,
    'log_line_prefix=',
    'log_checkpoints=off',
    'log_min_messages=log',
  ]
  return durable ? always : [...always, 'fsync=off', 'full_page_writes=off', 'autovacuum=off']
}

/**
 * Backends read data synchronously: the three I/O processes of PostgreSQL 18 need 9 MB, and tables
 * for 64 concurrent reads of each backend 2 MB.
 */
const readsWithoutProcesses = ['io_method=sync', 'io_max_concurrency=8']
const noReplication = ['max_wal_senders=0', 'max_logical_replication_workers=0']

interface Launched {
  child: ChildProcess
  /** Resolves when the program has exited or could not be started. */
  ended: Promise<void>
  /** Returns the output so far, for the error message of a failed start. */
  output(): string
}

function launchServer(program: string, args: string[], launchOptions: LaunchOptions, { logFile, onLog }: ServerOptions): Launched {
  const log = logFile ? openSync(logFile, 'w', 0o600) : null
  const child = launch(program, args, launchOptions, ['ignore', 'ignore', log ?? 'pipe'])
  const lines: string[] = []
  const ended = once(child, 'close').then(
    () => {},
    (error: Error) => void lines.push(error.message),
  )
  if (child.stderr) {
    createInterface(child.stderr).on('line', (line) => {
      if (lines.length < 100) lines.push(line)
      onLog(line)
    })
  } else child.unref()
  if (log !== null) closeSync(log)
  return { child, ended, output: () => [...(logFile ? [readFileSync(logFile, 'utf8')] : []), ...lines].join('\n') }
}

/**
 * Waits until postmaster.pid reports that the server accepts connections; null when it exited
 * instead.
 */
async function waitUntilReady({ child, ended }: Launched, cluster: string): Promise<Postmaster | null> {
  let hasEnded = false
  ended.then(() => {
    hasEnded = true
  })
  while (!hasEnded) {
    const postmaster = readPostmaster(cluster)
    if (postmaster?.ready && postmaster.pid === child.pid) return postmaster
    await sleep(10)
  }
  return null
}

function serverOf({ child, ended }: Launched, { pid, socketDir }: Postmaster): Server {
  return {
    pid,
    socketDir,
    port: PORT,
    adopted: false,
    isNew: false,
    ended,
    async stop() {
      child.kill('SIGINT')
      await ended
      removeSocketDir(socketDir)
    },
  }
}

/**
 * Returns a server that is not a child of this process, so that its exit is detected by polling.
 */
function adopt({ pid, socketDir, port }: Postmaster, cluster: string, { logFile }: ServerOptions): Server {
  return {
    pid,
    socketDir,
    port,
    adopted: true,
    isNew: false,
    ended: waitForExit(pid, { every: 100, ref: logFile === undefined }),
    async stop() {
      if (isServerOf(pid, cluster)) process.kill(pid, 'SIGINT')
      await waitForExit(pid, { every: 10, ref: true })
      removeSocketDir(socketDir)
    },
  }
}

async function waitForExit(pid: number, { every, ref }: { every: number; ref: boolean }): Promise<void> {
  while (isAlive(pid)) await sleep(every, undefined, { ref })
}

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeAccess } from './access.ts'
import { accountFor } from './account.ts'
import { findBinaries } from './binaries.ts'
import { clusterExists, createCluster, programStartError } from './cluster.ts'
import { folderArgument, type Launch, launch } from './launch.ts'
import { takeOwnership } from './ownership.ts'
import { disownPidFile, findRunningServer, isAlive, isServerOf, type Postmaster, readPostmaster } from './postmaster.ts'
import { programsFor } from './programs.ts'
import { makeSocketDir, PORT, removeSocketDir, socketDirOf } from './socket-dir.ts'

export interface ServerOptions {
  /** A folder that the caller has locked, by its real path; PostgreSQL's files are in `postgres` below it. */
  dataDir: string
  maxConnections: number
  /** False: no fsync, for tests; a crash of the machine may then lose everything. */
  durable: boolean
  /** Given: the server outlives this process, does not keep it alive, and writes its log there. Otherwise it stops with this process, where the system can do that. */
  logFile?: string
  onLog(line: string): void
}

export interface Server {
  pid: number
  socketDir: string
  port: number
  /** True when it ran already. */
  adopted: boolean
  /** Resolves when the server has ended, for whatever reason. */
  ended: Promise<void>
  /** Fast shutdown: open connections are cut, everything is written; resolves when the server has ended. */
  stop(): Promise<void>
}

/** How long processes of a killed server may keep its shared memory before a new start gives up, in ms. */
const LEFTOVERS = 30_000

/** Makes the data folder if there is none, and starts a server on it or takes over the one that runs; resolves when it answers. Throws StartError. */
export async function openServer(options: ServerOptions): Promise<Server> {
  const cluster = join(options.dataDir, 'postgres')
  const account = accountFor(cluster)
  const binaries = programsFor(account, findBinaries())
  const socketDir = socketDirOf(cluster, account)
  if (!clusterExists(cluster, binaries)) await createCluster(cluster, binaries, account, options.durable)
  const running = await findRunningServer(cluster)
  if (running?.socketDir === socketDir) return adopt(running, cluster, options)
  if (running) await adopt(running, cluster, options).stop()
  takeOwnership(cluster, account)
  writeAccess(cluster, account)

  const how: Launch = { ...account, cluster, onParentDeath: options.logFile ? null : 'INT' }
  const args = ['-D', folderArgument(how), '-k', socketDir, ...settings(options).flatMap((setting) => ['-c', setting])]
  const deadline = Date.now() + LEFTOVERS
  for (;;) {
    disownPidFile(cluster, account)
    makeSocketDir(socketDir, account)
    const launched = launchServer(binaries.postgres, args, how, options)
    if (await isReady(launched, cluster)) {
      return options.logFile ? { ...adopt(readPostmaster(cluster)!, cluster, options), adopted: false } : own(launched, socketDir)
    }
    const output = launched.output().trim()
    if (!output.includes('pre-existing shared memory block') || Date.now() > deadline) throw programStartError(binaries.postgres, output)
    await sleep(100)
  }
}

/** Nothing listens on the network; of the log only what concerns the server, as failed statements are their senders' and may hold personal data. */
function settings({ maxConnections, durable }: ServerOptions): string[] {
  const always = [
    'listen_addresses=',
    `max_connections=${maxConnections}`,
    'log_line_prefix=',
    'log_checkpoints=off',
    'log_min_messages=log',
  ]
  return durable ? always : [...always, 'fsync=off', 'full_page_writes=off', 'autovacuum=off']
}

interface Launched {
  child: ChildProcess
  /** Resolves also when the program could not be started at all. */
  ended: Promise<void>
  /** What it has said so far, for the error when it does not start. */
  output(): string
}

function launchServer(program: string, args: string[], how: Launch, { logFile, onLog }: ServerOptions): Launched {
  const log = logFile ? openSync(logFile, 'w', 0o600) : null
  const child = launch(program, args, how, ['ignore', 'ignore', log ?? 'pipe'])
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

/** Waits until the server has said in its postmaster.pid that it accepts connections, recovery included; false when it ended instead. */
async function isReady({ child, ended }: Launched, cluster: string): Promise<boolean> {
  let over = false
  ended.then(() => {
    over = true
  })
  while (!over) {
    const postmaster = readPostmaster(cluster)
    if (postmaster?.ready && postmaster.pid === child.pid) return true
    await sleep(10)
  }
  return false
}

function own({ child, ended }: Launched, socketDir: string): Server {
  return {
    pid: child.pid!,
    socketDir,
    port: PORT,
    adopted: false,
    ended,
    async stop() {
      child.kill('SIGINT')
      await ended
      removeSocketDir(socketDir)
    },
  }
}

/** A server that another process started, or that outlives this one: its end is seen by asking. */
function adopt({ pid, socketDir, port }: Postmaster, cluster: string, { logFile }: ServerOptions): Server {
  return {
    pid,
    socketDir,
    port,
    adopted: true,
    ended: gone(pid, { every: 100, ref: logFile === undefined }),
    async stop() {
      if (isServerOf(pid, cluster)) process.kill(pid, 'SIGINT')
      await gone(pid, { every: 10, ref: true })
      removeSocketDir(socketDir)
    },
  }
}

async function gone(pid: number, { every, ref }: { every: number; ref: boolean }): Promise<void> {
  while (isAlive(pid)) await sleep(every, undefined, { ref })
}

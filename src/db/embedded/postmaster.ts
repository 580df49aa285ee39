import { spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SUPERUSER } from './access.ts'
import type { Account } from './account.ts'
import { namesCluster } from './launch.ts'
import { replaceFile } from './replace-file.ts'

/** The content of postmaster.pid, which a running server keeps in its data folder. */
export interface Postmaster {
  pid: number
  socketDir: string
  port: number
  ready: boolean
}

/** A process id above every system's maximum, which is never in use. */
const UNUSED_PID = 2_147_483_647

/** Reads `cluster`/postmaster.pid. Returns null when it is missing or incomplete. */
export function readPostmaster(cluster: string): Postmaster | null {
  const lines = pidFile(cluster)
    ?.split('\n')
    .map((line) => line.trim())
  const [pid, , , port, socketDir, , , status] = lines ?? []
  if (!pid) return null
  return { pid: Number(pid), port: Number(port), socketDir: socketDir ?? '', ready: status === 'ready' }
}

function pidFile(cluster: string): string | null {
  try {
    return readFileSync(join(cluster, 'postmaster.pid'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * Returns the server that already runs on `cluster`; null when there is none. Waits without a limit
 * for a server that is starting or stopping.
 */
export async function findRunningServer(cluster: string): Promise<Postmaster | null> {
  for (;;) {
    const found = readPostmaster(cluster)
    if (!found || !isServerOf(found.pid, cluster)) return null
    if (found.ready && (await accepts(found))) return found
    await sleep(20)
  }
}

/**
 * Returns whether process `pid` is a PostgreSQL server on `cluster`, by its command line: ids are
 * reused.
 */
export function isServerOf(pid: number, cluster: string): boolean {
  const [program = '', ...args] = commandLine(pid)
  return program.endsWith('postgres') && args.some((arg, index) => arg === '-D' && namesCluster(args[index + 1], folderOf(pid), cluster))
}

/** Returns the working directory of a process; null if it is not visible. */
function folderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}

function commandLine(pid: number): string[] {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    } catch {
      return []
    }
  }
  // ps separates arguments by spaces, and arguments may contain spaces.
  const line = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()
  const [, program, dataDir] = /^(.*?postgres) -D (.*?) -k /.exec(line) ?? []
  return program && dataDir ? [program, '-D', dataDir] : []
}

async function accepts({ pid, socketDir, port }: Postmaster): Promise<boolean> {
  const client = new pg.Client({ host: socketDir, port, user: SUPERUSER, database: 'postgres', connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ pid: string }>("select split_part(pg_read_file('postmaster.pid'), chr(10), 1) as pid")
    return Number(rows[0]?.pid) === pid
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Replaces the process id in the postmaster.pid of a killed server, because PostgreSQL does not
 * start while another process has that id. The file remains, because PostgreSQL needs its other
 * lines to detect processes of the killed server that still use its shared memory.
 */
export function disownPidFile(cluster: string, account: Account): void {
  const content = pidFile(cluster)
  if (content) replaceFile(cluster, 'postmaster.pid', content.replace(/^\d+/, String(UNUSED_PID)), account)
}

/** Returns whether a process with this id runs. A zombie, as under an idle process 1, does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return process.platform !== 'linux' || commandLine(pid).length > 1
}

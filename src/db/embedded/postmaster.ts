import { spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SUPERUSER } from './access.ts'
import type { Account } from './account.ts'
import { namesCluster } from './launch.ts'
import { replaceFile } from './replace-file.ts'

/** What a running server wrote into its data folder's postmaster.pid. */
export interface Postmaster {
  pid: number
  socketDir: string
  port: number
  ready: boolean
}

/** A process id above every system's highest: never alive. */
const NOBODY = 2_147_483_647

/** The content of `cluster`/postmaster.pid, or null when there is none or it is not complete yet. */
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

/** The server that runs on `cluster` already, once it answers; null when there is none. Waits for one that is just starting or stopping, however long. */
export async function findRunningServer(cluster: string): Promise<Postmaster | null> {
  for (;;) {
    const found = readPostmaster(cluster)
    if (!found || !isServerOf(found.pid, cluster)) return null
    if (found.ready && (await answers(found))) return found
    await sleep(20)
  }
}

/** Whether the process `pid` is alive and a PostgreSQL server on `cluster`, by its command line: ids are used again, above all in containers. */
export function isServerOf(pid: number, cluster: string): boolean {
  const [program = '', ...args] = commandLine(pid)
  return program.endsWith('postgres') && args.some((arg, at) => arg === '-D' && namesCluster(args[at + 1], folderOf(pid), cluster))
}

/** The folder that a process runs in; null where that cannot be seen. */
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
  // ps puts spaces between the arguments, which may hold spaces themselves.
  const line = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()
  const [, program, dataDir] = /^(.*?postgres) -D (.*?) -k /.exec(line) ?? []
  return program && dataDir ? [program, '-D', dataDir] : []
}

async function answers({ pid, socketDir, port }: Postmaster): Promise<boolean> {
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
 * Frees a postmaster.pid that a killed server left behind: PostgreSQL refuses to start when another process now has the id in it.
 * The file stays, because its other lines let PostgreSQL see whether processes of the killed server still use its shared memory.
 */
export function disownPidFile(cluster: string, account: Account): void {
  const content = pidFile(cluster)
  if (content) replaceFile(cluster, 'postmaster.pid', content.replace(/^\d+/, String(NOBODY)), account)
}

/** Whether a process with this id runs; one that has ended but that nobody has asked about (a zombie, as under an idle process 1) does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return process.platform !== 'linux' || commandLine(pid).length > 1
}

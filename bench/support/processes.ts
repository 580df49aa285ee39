import { readdirSync, readFileSync } from 'node:fs'

const TICKS = 100 // per second (USER_HZ)

export const roles = ['server', 'postgres', 'programs'] as const
type Memory = Record<(typeof roles)[number], number>

/**
 * Returns the private memory (without shared pages) of a server with its worker, its PostgreSQL and
 * the programs that it runs, in MB.
 */
export function memoryOf(server: number): Memory {
  const sums: Memory = { server: privateMemoryOf(server), postgres: 0, programs: 0 }
  for (const pid of descendants(server)) sums[isPostgres(pid) ? 'postgres' : 'programs'] += privateMemoryOf(pid)
  return sums
}

/**
 * Returns the memory of a server with all processes that it started, in MB. Memory that several
 * processes share counts once, divided among them (PSS).
 */
export function wholeMemoryOf(server: number): number {
  return [server, ...descendants(server)].reduce((sum, pid) => sum + shareOf(pid), 0)
}

/** Returns the resident memory of a process in MB (proc_pid_status(5)); 0 after its end. */
export function residentOf(pid: number): number {
  return statusOf(pid, 'VmRSS') / 1000
}

/** Returns the IDs of all processes with such a name, of which Linux keeps 15 characters. */
export function processesNamed(pattern: RegExp): number[] {
  return allProcesses().filter((pid) => pattern.test(read(`/proc/${pid}/comm`)))
}

/** Returns the CPU seconds of a process, over all its threads (proc_pid_stat(5)). */
export function cpuOf(pid: number): number {
  const [user = 0, system = 0] = afterName(pid).slice(11, 13).map(Number)
  return (user + system) / TICKS
}

function descendants(ancestor: number): number[] {
  const parents = new Map(allProcesses().map((pid) => [pid, Number(afterName(pid)[1] ?? 0)]))
  const found: number[] = []
  const add = (parent: number): void => {
    for (const [pid, of] of parents) {
      if (of !== parent) continue
      found.push(pid)
      add(pid)
    }
  }
  add(ancestor)
  return found
}

const read = (path: string) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // the process has ended
  }
}
const allProcesses = () =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
/** Returns a field of a process's status in kB. */
const statusOf = (pid: number, field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(read(`/proc/${pid}/status`))?.[1] ?? 0)
const shareOf = (pid: number) => (Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024) / 1e6
const privateMemoryOf = (pid: number) => statusOf(pid, 'RssAnon') / 1000
/** Its processes are called `…/bin/postgres`, or `postgres: ` and what they do. */
const isPostgres = (pid: number) => /^([^\0]*\/)?postgres(:|\0|$)/.test(read(`/proc/${pid}/cmdline`))
/**
 * Returns the fields of a process's status line after its name, which may contain spaces and
 * parentheses.
 */
const afterName = (pid: number) => {
  const line = read(`/proc/${pid}/stat`)
  return line.slice(line.lastIndexOf(')') + 2).split(' ')
}

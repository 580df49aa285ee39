import { readdirSync, readFileSync } from 'node:fs'

const TICKS = 100 // per second (USER_HZ)

/**
 * Returns the private memory (without shared pages) of a process and its descendants in MB, by
 * role.
 */
export function memoryOf(server: number): Record<'server' | 'worker' | 'postgres', number> {
  const sums = { server: ownMemory(server), worker: 0, postgres: 0 }
  for (const pid of descendants(server)) sums[commandOf(pid).includes('worker/main') ? 'worker' : 'postgres'] += ownMemory(pid)
  return sums
}

/** Returns the CPU seconds of a process, over all its threads (proc_pid_stat(5)). */
export function cpuOf(pid: number): number {
  const [user = 0, system = 0] = afterName(pid).slice(11, 13).map(Number)
  return (user + system) / TICKS
}

function descendants(ancestor: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (pid > 0) parents.set(pid, Number(afterName(pid)[1] ?? 0))
  }
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
const ownMemory = (pid: number) => Number(/RssAnon:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1000
const commandOf = (pid: number) => read(`/proc/${pid}/cmdline`)
/**
 * Returns the fields of a process's status line after its name, which may contain spaces and
 * parentheses.
 */
const afterName = (pid: number) => {
  const line = read(`/proc/${pid}/stat`)
  return line.slice(line.lastIndexOf(')') + 2).split(' ')
}

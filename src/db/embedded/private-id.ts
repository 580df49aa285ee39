import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'

/**
 * Ids that neither distributions nor systemd assign, and that containers with 65,536 ids have too.
 */
const [FIRST, LAST] = [60_578, 61_183]

/**
 * Returns an unused user and group id, stable per `cluster` where possible; null if there is none.
 */
export function privateId(cluster: string): number | null {
  if (process.platform !== 'linux' || !isMapped('uid') || !isMapped('gid')) return null
  const count = LAST - FIRST + 1
  const start = createHash('sha256').update(cluster).digest().readUInt32BE(0)
  const used = new Set([...namedIds(), ...processIds()])
  for (let step = 0; step < count; step++) {
    const id = FIRST + ((start + step) % count)
    if (!used.has(id)) return id
  }
  return null
}

function isMapped(kind: 'uid' | 'gid'): boolean {
  return readFileSync(`/proc/self/${kind}_map`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .some(([inside = 0, , length = 0]) => inside <= FIRST && LAST < inside + length)
}

function namedIds(): number[] {
  const files = [readFileSync('/etc/passwd', 'utf8'), readFileSync('/etc/group', 'utf8')]
  return files.flatMap((file) => file.split('\n').map((line) => Number(line.split(':')[2])))
}

function processIds(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statSync(`/proc/${name}`, { throwIfNoEntry: false })?.uid ?? 0)
}

import { readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { StartError } from '../../data-dir.ts'

/** The operating system's user that PostgreSQL runs as: it refuses to run as root. */
export interface Account {
  uid: number
  gid: number
  /** True when it is not the user of this process, which is then root. */
  other: boolean
}

/** The user for the data folder `cluster`: ourselves; as root the folder's owner, else `postgres`, else `nobody`. Throws StartError when there is none. */
export function accountFor(cluster: string): Account {
  const uid = process.getuid!()
  if (uid !== 0) return { uid: named(uid), gid: process.getgid!(), other: false }
  const owner = statSync(cluster, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, other: true }
  const found = lookUp('postgres') ?? lookUp('nobody')
  if (!found)
    throw new StartError(
      'PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody". Run Razorbill as an ordinary user.',
    )
  return { ...found, other: true }
}

function named(uid: number): number {
  try {
    userInfo()
    return uid
  } catch {
    throw new StartError(
      `PostgreSQL needs a user with a name, and user id ${uid} has none in /etc/passwd. Run Razorbill as a named user, or set DATABASE_URL.`,
    )
  }
}

function lookUp(name: string): { uid: number; gid: number } | null {
  const fields = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([login]) => login === name)
  // macOS writes nobody's id as -2.
  return fields ? { uid: Number(fields[2]) >>> 0, gid: Number(fields[3]) >>> 0 } : null
}

/** Whether `account` may pass through every folder above `path`, by their permission bits, and read `path` itself. */
export function reaches(account: Account, path: string): boolean {
  const allowed = (at: string, want: number) => {
    const { mode, uid, gid } = statSync(at)
    const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
    return ((mode >> shift) & want) === want
  }
  for (let at = dirname(path); ; at = dirname(at)) {
    if (!allowed(at, 1)) return false
    if (at === dirname(at)) return allowed(path, 5)
  }
}

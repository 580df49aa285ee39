import { readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { StartError } from '../../errors.ts'
import { type Naming, nameFor } from './naming.ts'
import { privateId } from './private-id.ts'

/** The user that PostgreSQL runs as, because it refuses to run as root. */
export interface Account {
  uid: number
  gid: number
  /** Whether it differs from the user of this process, which is then root. */
  other: boolean
  /** The user that initdb runs as. It refuses a user without a name. */
  initUid: number
  /** The name of this process's user, which may connect to PostgreSQL. */
  client: string
  /** Gives the user a name if the system has none for its id; null: it has one. */
  naming: Naming | null
}

/**
 * Returns the user for the data folder `cluster`: the user of this process or, as root, the
 * folder's owner. As root, a new folder gets a separate user id, as does one that belongs to a
 * system account.
 * @throws {StartError} there is no usable user
 */
export function accountFor(cluster: string): Account {
  const uid = ownUid()
  const name = nameOf(uid)
  if (uid !== 0) return ordinary(uid, name, cluster)
  const user = { other: true, client: name ?? 'root', naming: null }
  const [nobody, postgres] = [lookUp('nobody'), lookUp('postgres')]
  const named = nobody ?? postgres
  if (!named) throw new StartError(noUser)
  const owner = statSync(cluster, { throwIfNoEntry: false })
  const shared = [0, nobody?.uid, postgres?.uid]
  if (owner && !shared.includes(owner.uid)) return { ...user, uid: owner.uid, gid: owner.gid, initUid: named.uid }
  const id = privateId(cluster)
  if (id === null) return { ...user, ...named, initUid: named.uid }
  return { ...user, uid: id, gid: id, initUid: named.uid }
}

/**
 * Returns the user id of this process.
 * @throws {StartError} the platform has none
 */
export function ownUid(): number {
  const uid = process.getuid?.()
  if (uid === undefined) throw new StartError('The embedded PostgreSQL does not run on this platform. Set DATABASE_URL.')
  return uid
}

const noUser = 'PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody". Run Razorbill as an ordinary user.'

/** Returns the user of this process, who gets a name for PostgreSQL if the system has none. */
function ordinary(uid: number, name: string | null, cluster: string): Account {
  const user = { uid, gid: process.getgid?.() ?? uid, other: false, initUid: uid }
  if (name !== null) return { ...user, client: name, naming: null }
  const naming = nameFor(uid, dirname(cluster))
  return { ...user, client: naming.name, naming }
}

function nameOf(uid: number): string | null {
  try {
    return userInfo().username
  } catch {
    return uid === 0 ? 'root' : null
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

/**
 * Returns whether permission bits let `account` enter every folder above `path` and read `path`.
 */
export function canReach(account: Pick<Account, 'uid' | 'gid'>, path: string): boolean {
  const isAllowed = (file: string, bits: number) => {
    const { mode, uid, gid } = statSync(file)
    const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
    return ((mode >> shift) & bits) === bits
  }
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!isAllowed(folder, 1)) return false
    if (folder === dirname(folder)) return isAllowed(path, 5)
  }
}

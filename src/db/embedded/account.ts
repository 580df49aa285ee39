import { readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { StartError } from '../../errors.ts'
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
}

/**
 * Returns the user for the data folder `cluster`: the user of this process or, as root, the folder's
 * owner. As root, a new folder gets a separate user id, as does one that belongs to a system account.
 * @throws {StartError} there is no usable user
 */
export function accountFor(cluster: string): Account {
  const uid = ownUid()
  const client = nameOf(uid)
  if (uid !== 0) return { uid, gid: process.getgid?.() ?? uid, other: false, initUid: uid, client }
  const [nobody, postgres] = [lookUp('nobody'), lookUp('postgres')]
  const named = nobody ?? postgres
  if (!named) throw new StartError(noUser)
  const owner = statSync(cluster, { throwIfNoEntry: false })
  const shared = [0, nobody?.uid, postgres?.uid]
  if (owner && !shared.includes(owner.uid)) return { uid: owner.uid, gid: owner.gid, other: true, initUid: owner.uid, client }
  const id = privateId(cluster)
  if (id === null) return { ...named, other: true, initUid: named.uid, client }
  return { uid: id, gid: id, other: true, initUid: named.uid, client }
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

function nameOf(uid: number): string {
  try {
    return userInfo().username
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

/** Returns whether permission bits let `account` enter every folder above `path` and read `path`. */
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

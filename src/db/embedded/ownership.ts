import { chmodSync, chownSync, lchownSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from './account.ts'

/**
 * Gives everything below the data folder `cluster` to `account`, and nobody else access to it. Only root can do that to another user's files.
 * Root owns the folder meanwhile: the former owner cannot swap its files, and a start after a kill begins anew.
 */
export function takeOwnership(cluster: string, account: Account): void {
  if (statSync(cluster).uid !== account.uid) {
    lchownSync(cluster, 0, 0)
    chmodSync(cluster, 0o700)
    for (const name of readdirSync(cluster)) chownAll(join(cluster, name), account)
    chownSync(cluster, account.uid, account.gid)
  }
  if ((statSync(cluster).mode & 0o777) !== 0o700) chmodSync(cluster, 0o700)
}

/** A folder is closed to its former owner before it is listed. */
function chownAll(path: string, account: Account): void {
  lchownSync(path, account.uid, account.gid)
  if (!lstatSync(path).isDirectory()) return
  chmodSync(path, 0o700)
  for (const name of readdirSync(path)) chownAll(join(path, name), account)
}

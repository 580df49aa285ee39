import { chmodSync, chownSync, lchownSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from './account.ts'

/**
 * Makes `account` the owner of the data folder `cluster` and its files, with no access for others.
 * Only root can change another user's files. Root owns the folder meanwhile, so that the former
 * owner can't swap files and an interrupted change starts over.
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

/** Removes the former owner's access to a folder before its files are listed. */
function chownAll(path: string, account: Account): void {
  lchownSync(path, account.uid, account.gid)
  if (!lstatSync(path).isDirectory()) return
  chmodSync(path, 0o700)
  for (const name of readdirSync(path)) chownAll(join(path, name), account)
}

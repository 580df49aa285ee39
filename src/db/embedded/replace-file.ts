import { closeSync, fchownSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from './account.ts'

/**
 * Writes a file in PostgreSQL's data folder atomically, readable only by `account`. An existing
 * file is replaced. Links are not followed.
 */
export function replaceFile(cluster: string, name: string, content: string, { uid, gid, other }: Account): void {
  const unfinished = join(cluster, `${name}.new`)
  rmSync(unfinished, { force: true })
  const file = openSync(unfinished, 'wx', 0o600)
  try {
    writeSync(file, content)
    if (other) fchownSync(file, uid, gid)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, join(cluster, name))
}

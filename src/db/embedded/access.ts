import type { Account } from './account.ts'
import { replaceFile } from './replace-file.ts'

/** The superuser: for starting, stopping and upgrades. Its name is that of earlier versions, which used it for everything. */
export const SUPERUSER = 'app'
/** The role of the application, with no right outside its own database. */
export const ROLE = 'razorbill'

/** Lets nobody in but the user that Razorbill runs as, and root: the kernel says which user is at the other end of the socket. */
export function writeAccess(cluster: string, account: Account): void {
  const users = new Set([account.client, 'root'])
  const map = [...users].map((user) => `razorbill "${user.replaceAll('"', '""')}" all\n`)
  replaceFile(cluster, 'pg_hba.conf', 'local all all peer map=razorbill\n', account)
  replaceFile(cluster, 'pg_ident.conf', map.join(''), account)
}

import type { Account } from './account.ts'
import { replaceFile } from './replace-file.ts'

/** The superuser for starting, stopping and upgrades. Earlier versions used it for everything. */
export const SUPERUSER = 'app'
/** The application's role, which has no rights outside its own database. */
export const ROLE = 'razorbill'

/**
 * Allows only Razorbill's own user and root to connect. The kernel reports the user at the socket's
 * other end.
 */
export function writeAccess(cluster: string, account: Account): void {
  const users = new Set([account.client, 'root'])
  const map = [...users].map((user) => `razorbill "${user.replaceAll('"', '""')}" all\n`)
  replaceFile(cluster, 'pg_hba.conf', 'local all all peer map=razorbill\n', account)
  replaceFile(cluster, 'pg_ident.conf', map.join(''), account)
}

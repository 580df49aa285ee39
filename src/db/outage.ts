import pg from 'pg'

/** Connection errors of node-postgres that have no code. */
const connectionErrors =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/

/**
 * Returns whether a statement failed because PostgreSQL was unavailable: starting, stopping or
 * disconnected (SQLSTATE classes 57P and 08), out of connections (53300), read-only as a standby
 * is (25006), or not reachable.
 */
export function isDatabaseUnavailable(error: Error): boolean {
  if (error instanceof pg.DatabaseError) return isOutage(error.code)
  return connectionErrors.test(error.message) || ('syscall' in error && error.syscall === 'connect')
}

/** Returns whether a SQLSTATE means that PostgreSQL is unavailable. */
export function isOutage(code = ''): boolean {
  return /^(57P|08|53300|25006)/.test(code)
}

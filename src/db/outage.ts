import pg from 'pg'

/** Connection errors of node-postgres that have no code. */
const connectionErrors =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/

/**
 * Returns whether a statement failed because PostgreSQL was unavailable: starting, stopping or
 * disconnected (SQLSTATE classes 57P and 08), out of connections (53300), or not reachable.
 */
export function isDatabaseUnavailable(error: Error): boolean {
  if (error instanceof pg.DatabaseError) return /^(57P|08|53300)/.test(error.code ?? '')
  return connectionErrors.test(error.message) || ('syscall' in error && error.syscall === 'connect')
}

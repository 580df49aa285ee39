import pg from 'pg'

/** What node-postgres says in words alone of a connection that it has lost, or could not get. */
const lost = /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/

/**
 * Whether a statement failed because PostgreSQL was away, not because of what was asked: it is starting, stopping or broke off (SQLSTATE classes 57P and 08),
 * has no connection left (53300), or its address did not answer.
 */
export function isDatabaseAway(error: Error): boolean {
  if (error instanceof pg.DatabaseError) return /^(57P|08|53300)/.test(error.code ?? '')
  return lost.test(error.message) || ('syscall' in error && error.syscall === 'connect')
}

import pg from 'pg'

/**
 * A client for poolers such as PgBouncer, which may use another connection for each transaction and
 * lose or mix up prepared statements. It removes the name of every statement, including those of
 * libraries.
 */
export class UnnamedClient extends pg.Client {
  override query = ((statement: unknown, ...rest: unknown[]) =>
    (super.query as (...parameters: unknown[]) => unknown)(withoutName(statement), ...rest)) as pg.Client['query']
}

function withoutName(statement: unknown): unknown {
  const isNamed = typeof statement === 'object' && statement !== null && 'name' in statement && !('submit' in statement)
  return isNamed ? { ...statement, name: undefined } : statement
}

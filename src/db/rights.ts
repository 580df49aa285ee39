import pg from 'pg'

const NOT_PERMITTED = '42501' // SQLSTATE insufficient_privilege

export interface RoleAndDatabase {
  role: string
  base: string
}

/** Returns whether a statement failed because the role lacks a right. */
export function isNotPermitted(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === NOT_PERMITTED
}

/** Returns a sentence for the operator with the statements that give the role what it needs. */
export async function missingRights(query: (text: string) => Promise<{ rows: RoleAndDatabase[] }>): Promise<string> {
  const { rows } = await query('select quote_ident(current_user) as role, quote_ident(current_database()) as base')
  const { role, base } = rows[0] ?? { role: '', base: '' }
  return (
    `The role ${role} may not create tables in the database ${base}. Run there as an administrator: ` +
    `GRANT CREATE ON DATABASE ${base} TO ${role}; GRANT USAGE, CREATE ON SCHEMA public TO ${role};`
  )
}

import { readdir } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { StartError } from '../errors.ts'
import type { Database } from './schema.ts'

const folder = new URL('../../migrations/', import.meta.url)

/** Returns all migrations of this version by name. */
export async function knownMigrations(): Promise<Record<string, Migration>> {
  const names = (await readdir(folder)).filter((name) => /^\d{3}-.*\.ts$/.test(name)).sort()
  const loaded = names.map(async (name) => [name.slice(0, -3), (await import(new URL(name, folder).href)) as Migration] as const)
  return Object.fromEntries(await Promise.all(loaded))
}

/**
 * Migrates the database to this version and returns the migrations that ran. A lock prevents
 * replicas that start together from running one twice.
 * @throws {StartError} the database is newer than this version
 */
export async function migrate(db: Kysely<Database>): Promise<string[]> {
  const migrations = await knownMigrations()
  const { error, results = [] } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest()
  if (error) throw (await isNewer(db, migrations)) ? new StartError(tooNew) : error
  return results.map(({ migrationName }) => migrationName)
}

const tooNew =
  'The database was created or migrated by a newer version of Razorbill. Start that version, or restore the backup from before the upgrade.'

async function isNewer(db: Kysely<Database>, migrations: Record<string, Migration>): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db).catch(() => ({ rows: [] }))
  return rows.some(({ name }) => !(name in migrations))
}

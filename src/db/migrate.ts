import { readdir } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { StartError } from '../errors.ts'
import { endBuild } from './build-indexes.ts'
import { lockMigrations } from './connect.ts'
import { missingRights, type RoleAndDatabase } from './rights.ts'
import type { Database } from './schema.ts'

const folder = new URL('../../migrations/', import.meta.url)

/**
 * Returns all migrations of this version by name. A module is loaded only when its migration runs.
 */
export async function knownMigrations(): Promise<Record<string, Migration>> {
  const names = (await readdir(folder)).filter((name) => /^\d{3}-.*\.ts$/.test(name)).sort()
  return Object.fromEntries(names.map((name) => [name.slice(0, -3), { up: async (db) => (await load(name)).up(db) }]))
}

async function load(name: string): Promise<Migration> {
  return import(new URL(name, folder).href)
}

/**
 * Migrates the database to this version in one transaction, and returns the migrations that ran. A
 * lock prevents replicas that start together from running one twice.
 * @throws {StartError} the database is newer than this version, or the role may not create tables
 */
export async function migrate(db: Kysely<Database>): Promise<string[]> {
  const migrations = await knownMigrations()
  const executed = await executedMigrations(db)
  if (executed.length === Object.keys(migrations).length && executed.every((name) => name in migrations)) return []
  try {
    await endBuild(db)
    return await db.transaction().execute(async (transaction) => {
      await lockMigrations(transaction) // before Kysely creates its tables
      const { error, results = [] } = await migrator(transaction, migrations).migrateToLatest()
      if (error) throw error
      return results.map(({ migrationName }) => migrationName)
    })
  } catch (error) {
    if (await isNewer(db, migrations)) throw new StartError(tooNew)
    throw (await mayCreate(db)) ? error : new StartError(await missingRights((text) => sql<RoleAndDatabase>`${sql.raw(text)}`.execute(db)))
  }
}

/**
 * Migrates an empty database up to and including the migration `name`.
 * @throws {StartError} this version doesn't have the migration
 */
export async function migrateTo(db: Kysely<Database>, name: string): Promise<void> {
  const migrations = await knownMigrations()
  if (!(name in migrations)) throw new StartError(tooNew)
  const { error } = await migrator(db, migrations).migrateTo(name)
  if (error) throw error
}

function migrator(db: Kysely<Database>, migrations: Record<string, Migration>): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } })
}

const tooNew =
  'The database was created or migrated by a newer version of Razorbill. Start that version, or restore the backup from before the upgrade.'

async function isNewer(db: Kysely<Database>, migrations: Record<string, Migration>): Promise<boolean> {
  return (await executedMigrations(db)).some((name) => !(name in migrations))
}

/** Returns none also if the table can't be read. */
async function executedMigrations(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db).catch(() => ({ rows: [] }))
  return rows.map(({ name }) => name)
}

async function mayCreate(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ may: boolean | null }>`select has_schema_privilege(current_schema(), 'create') as may`.execute(db)
  return rows[0]?.may === true
}

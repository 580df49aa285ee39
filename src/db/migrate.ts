import { readdir } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Database } from './schema.ts'

const folder = new URL('../../migrations/', import.meta.url)

/** Brings the database to this version, under a lock: replicas that start together do it once. Throws when the database is newer than this version. */
export async function migrate(db: Kysely<Database>): Promise<string[]> {
  const provider = {
    async getMigrations() {
      const names = (await readdir(folder)).filter((name) => /^\d{3}-.*\.ts$/.test(name)).sort()
      const loaded = names.map(async (name) => [name.slice(0, -3), (await import(new URL(name, folder).href)) as Migration] as const)
      return Object.fromEntries(await Promise.all(loaded))
    },
  }
  const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest()
  if (error) throw error
  return results.map(({ migrationName }) => migrationName)
}

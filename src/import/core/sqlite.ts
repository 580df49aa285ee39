import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../../errors.ts'

export type Row = Record<string, unknown>
/** Returns all rows of a table; empty if this version of the product doesn't have the table. */
export type Rows = (table: string) => Row[]

/**
 * Reads a product's SQLite database without changing it.
 *
 * @throws {StartError} there is no database, or it can't be read
 */
export function readSqlite<T>(product: string, file: string, read: (rows: Rows) => T): T {
  if (!existsSync(file)) throw new StartError(`${file} does not exist. Give the folder with the data of ${product}.`)
  const copy = mkdtempSync(join(tmpdir(), 'razorbill-import-'))
  try {
    copyDatabase(file, join(copy, 'database'))
    const database = new DatabaseSync(join(copy, 'database'))
    try {
      return read((table) => rowsOf(database, table))
    } finally {
      database.close()
    }
  } catch (error) {
    const { message } = error as Error
    throw new StartError(`${file} cannot be read: ${message}. Stop ${product}, and copy all of its data folder.`, { cause: error })
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/**
 * Copies a database with its write-ahead log, which a stopped program may leave. SQLite can only
 * read the log where it may write.
 */
function copyDatabase(from: string, to: string): void {
  copyFileSync(from, to)
  if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${to}-wal`)
}

function rowsOf(database: DatabaseSync, table: string): Row[] {
  const exists = database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(table)
  return exists ? (database.prepare(`select * from "${table}"`).all() as Row[]) : []
}

/**
 * Returns a value as text; empty for null. Leaves out NUL, which neither PostgreSQL nor file names
 * can hold.
 */
export const text = (value: unknown) => (value === null || value === undefined ? '' : String(value).replaceAll('\0', ''))
/** Returns a column as text; null if it is empty. */
export const textOrNull = (value: unknown) => text(value) || null
/** Returns a column as boolean. */
export const flag = (value: unknown) => value === 1 || value === true || value === 'true'

/**
 * Reads a time; null if there is none. Prisma writes milliseconds since 1970. SQLite's own defaults
 * look like `2024-02-29 12:00:00`, in UTC.
 */
export function time(value: unknown): Date | null {
  if (value === null || value === undefined || value === '') return null
  const number = Number(value)
  const isPlain = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(text(value))
  const date = Number.isNaN(number) ? new Date(isPlain ? `${text(value).replace(' ', 'T')}Z` : text(value)) : new Date(number)
  return Number.isNaN(date.getTime()) ? null : date
}

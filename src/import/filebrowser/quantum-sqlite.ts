import { closeSync, openSync, readSync } from 'node:fs'
import { type Row, readSqlite, text } from '../core/sqlite.ts'
import type { Json, Store } from './store.ts'

// FileBrowser Quantum 2 keeps in SQLite what version 1 keeps in bbolt: some fields of a user or a
// share in columns, and the others as JSON in one of them.

const magic = 'SQLite format 3\0'

/** Returns whether a file is a SQLite database. */
export function isSqlite(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(magic.length)
    readSync(file, start, 0, start.length, 0)
    return start.toString('latin1') === magic
  } finally {
    closeSync(file)
  }
}

/**
 * Opens a database of FileBrowser Quantum 2 for reading. Its rows become the objects of version 1.
 *
 * @throws {StartError} it can't be read
 */
export function openSqliteStore(product: string, file: string): Store {
  return readSqlite(product, file, (rows) => {
    const objects: Record<string, Json[]> = { User: rows('users').map(userOf), Link: rows('shares').map(linkOf) }
    const rules = rulesOf(rows('access_rules'))
    return {
      all: (type) => objects[type] ?? [],
      value: (bucket, key) => (bucket === 'access_rules' && key === 'rules' ? { all_rules: rules } : undefined),
    }
  })
}

function userOf({ user_id: id, username, perm_admin: admin, user_data: data }: Row): Json {
  return { ...parsed(data), id, username, permissions: { admin: admin === 1 } }
}

/** The columns override the settings, whose `source` is a name. */
function linkOf({ share_settings: settings, user_id: userID, ...columns }: Row): Json {
  return { ...parsed(settings), ...columns, userID }
}

function rulesOf(rows: Row[]): Json {
  const rules: Record<string, Json> = {}
  for (const { source, path, rule_data: rule } of rows) rules[text(source)] = { ...rules[text(source)], [text(path)]: parsed(rule) }
  return rules
}

/** Parses a JSON object, which columns contain as bytes. */
function parsed(value: unknown): Json {
  const json: unknown = JSON.parse(value instanceof Uint8Array ? Buffer.from(value).toString() : text(value))
  return typeof json === 'object' && json !== null ? (json as Json) : {}
}

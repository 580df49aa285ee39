import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../errors.ts'
import { type Pair, readBolt } from './bolt.ts'

export type Json = Record<string, unknown>

/**
 * FileBrowser's objects. Storm (github.com/asdine/storm) keeps those of one type in one bucket, as
 * JSON.
 */
export interface Store {
  /** Returns all objects of a type. */
  all(type: string): Json[]
  /** Returns a value of a key/value bucket; undefined if it has none. */
  value(bucket: string, key: string): Json | undefined
}

/**
 * Opens a bbolt database of FileBrowser or FileBrowser Quantum for reading. Both functions of the
 * store throw a StartError if their part of the database is damaged.
 *
 * @throws {StartError} it can't be read
 */
export function openStore(product: string, file: string): Store {
  const readable = <T>(read: () => T): T => {
    try {
      return read()
    } catch (error) {
      throw new StartError(`${file} cannot be read: ${(error as Error).message}. Stop ${product}, and copy its database.`, { cause: error })
    }
  }
  const bucket = readable(() => readBolt(readFileSync(file)))
  return {
    all: (type) => readable(() => bucket(type).map(parsed)),
    value: (name, key) =>
      readable(() => {
        const pair = bucket(name).find((candidate) => keyOf(candidate) === key)
        return pair && parsed(pair)
      }),
  }
}

/**
 * Returns the path of a database: `path` itself, or the first of these names in it.
 *
 * @throws {StartError} there is none
 */
export function databaseAt(path: string, names: readonly string[]): string {
  const candidates = [path, ...names.map((name) => join(path, name))]
  const file = candidates.find((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile())
  if (!file)
    throw new StartError(
      `There is no database at ${path}. Give the path of ${new Intl.ListFormat('en', { type: 'disjunction' }).format(names)}.`,
    )
  return file
}

function parsed({ value }: Pair): Json {
  const json: unknown = JSON.parse(value.toString())
  return typeof json === 'object' && json !== null ? (json as Json) : {}
}

/** Storm writes keys as JSON too. */
function keyOf({ key }: Pair): string {
  const text = key.toString()
  return /^".*"$/.test(text) ? String(JSON.parse(text)) : text
}

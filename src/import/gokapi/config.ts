import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { StartError } from '../../errors.ts'
import { type Row, text } from '../core/sqlite.ts'

export interface Config {
  dataDir: string
  database: string
  saltUsers: string
  saltFiles: string
}

/**
 * Reads Gokapi's configuration.
 *
 * @throws {StartError} it is missing or names Redis
 */
export function readConfig(folder: string, files: string | null): Config {
  const path = [join(folder, 'config/config.json'), join(folder, 'config.json')].find(existsSync)
  if (!path)
    throw new StartError(`There is no config/config.json in ${folder}. Give the folder that holds Gokapi's config and data folders.`)
  const json = parsed(path)
  const { DataDir, DatabaseUrl, Authentication } = json
  const database = /^sqlite:\/\/(.+)$/.exec(text(DatabaseUrl))?.[1]
  if (!database) throw new StartError('Gokapi keeps its data in Redis. Move it to SQLite with its command migrate-database first.')
  const inside = (name: string) => (isAbsolute(name) ? name : join(folder, name))
  const dataDir = files ?? inside(text(DataDir) || 'data')
  const candidates = [inside(database), join(dataDir, database.split('/').at(-1) ?? '')]
  const salts = (Authentication ?? {}) as Row
  return {
    dataDir,
    database: candidates.find(existsSync) ?? inside(database),
    saltUsers: text(salts.SaltAdmin),
    saltFiles: text(salts.SaltFiles),
  }
}

function parsed(path: string): Row {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Row
  } catch (error) {
    throw new StartError(`${path} cannot be read: ${(error as Error).message}`)
  }
}

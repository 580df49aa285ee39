import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { freeName } from '../uploader/repeats.ts'
import { Failure, usage } from './failure.ts'
import { DiskFile } from './file-slice.ts'

interface Gathered {
  files: DiskFile[]
  /** Paths that are left out: neither file nor folder, or links to folders. */
  skipped: string[]
}

interface Gathering extends Gathered {
  /** Of all files. */
  names: Set<string>
  /** Absolute, of all files. */
  paths: Set<string>
}

/**
 * Returns the files at these paths, sorted by name; names in folders start with the folder's. A
 * file that is named twice is taken once. Of others with the same name, each has a number.
 * @throws Failure for a missing path
 */
export async function gather(paths: readonly string[]): Promise<Gathered> {
  const gathered: Gathering = { files: [], skipped: [], names: new Set(), paths: new Set() }
  for (const path of paths) {
    const name = basename(resolve(path))
    if (!name) throw usage(`${path} has no name. Give its folders one by one.`)
    await add(name, path, gathered, true)
  }
  return gathered
}

async function add(name: string, path: string, into: Gathering, isArgument = false): Promise<void> {
  const found = await statOf(path)
  if (found.isFile()) addFile(name, path, found, into)
  else if (found.isDirectory()) await addFolder(name, path, into)
  else if (isArgument) throw usage(`${path} is neither a file nor a folder. Use - for standard input.`)
  else into.skipped.push(path)
}

function addFile(name: string, path: string, { size, mtimeMs }: Stats, into: Gathering): void {
  const absolute = resolve(path)
  if (into.paths.has(absolute)) return
  const free = freeName(name, into.names)
  into.paths.add(absolute)
  into.names.add(free)
  into.files.push(new DiskFile(free, path, { size, lastModified: mtimeMs }))
}

async function addFolder(name: string, path: string, into: Gathering): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(readable(path))
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = join(path, entry.name)
    if (entry.isSymbolicLink() && !(await pointsToFile(inner))) into.skipped.push(inner)
    else await add(`${name}/${entry.name}`, inner, into)
  }
}

const statOf = (path: string) => stat(path).catch(readable(path))

/** Links to folders are not followed: they may form a cycle. */
const pointsToFile = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

function readable(path: string) {
  return (error: NodeJS.ErrnoException): never => {
    if (error.code === 'ENOENT') throw new Failure('notFound', 'no_such_file', `${path} does not exist.`)
    throw new Failure('failure', 'file_unreadable', `${path} cannot be read (${error.code}).`)
  }
}

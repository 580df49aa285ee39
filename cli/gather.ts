import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { Failure, usage } from './failure.ts'
import { DiskFile } from './file-slice.ts'

interface Gathered {
  files: DiskFile[]
  /** Paths that are left out: neither file nor folder, or links to folders. */
  skipped: string[]
}

/**
 * Returns the files at these paths, sorted by name; names in folders start with the folder's.
 * @throws Failure for a missing path
 */
export async function gather(paths: readonly string[]): Promise<Gathered> {
  const gathered: Gathered = { files: [], skipped: [] }
  for (const path of paths) {
    const name = basename(resolve(path))
    if (!name) throw usage(`${path} has no name. Give its folders one by one.`)
    await add(name, path, gathered, true)
  }
  return gathered
}

async function add(name: string, path: string, into: Gathered, isArgument = false): Promise<void> {
  const found = await statOf(path)
  if (found.isFile()) into.files.push(new DiskFile(name, path, { size: found.size, lastModified: found.mtimeMs }))
  else if (found.isDirectory()) await addFolder(name, path, into)
  else if (isArgument) throw usage(`${path} is neither a file nor a folder. Use - for standard input.`)
  else into.skipped.push(path)
}

async function addFolder(name: string, path: string, into: Gathered): Promise<void> {
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

import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { Failure, usage } from './failure.ts'
import { DiskFile } from './file-slice.ts'

interface Gathered {
  files: DiskFile[]
  /** What is neither file nor folder, and links to folders: they are left out. */
  skipped: string[]
}

/** The files at these paths, those of folders with their folders' names, in the order of their names. Throws a Failure for what is not there. */
export async function gather(paths: readonly string[]): Promise<Gathered> {
  const gathered: Gathered = { files: [], skipped: [] }
  for (const path of paths) {
    const name = basename(resolve(path))
    if (!name) throw usage(`${path} has no name. Give its folders one by one.`)
    await take(name, path, gathered, true)
  }
  return gathered
}

async function take(name: string, path: string, into: Gathered, given = false): Promise<void> {
  const found = await look(path)
  if (found.isFile()) into.files.push(new DiskFile(name, path, { size: found.size, lastModified: found.mtimeMs }))
  else if (found.isDirectory()) await takeFolder(name, path, into)
  else if (given) throw usage(`${path} is neither a file nor a folder. Send what comes from a pipe with -.`)
  else into.skipped.push(path)
}

async function takeFolder(name: string, path: string, into: Gathered): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(readable(path))
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = join(path, entry.name)
    if (entry.isSymbolicLink() && !(await pointsToFile(inner))) into.skipped.push(inner)
    else await take(`${name}/${entry.name}`, inner, into)
  }
}

const look = (path: string) => stat(path).catch(readable(path))

/** Links to folders may lead round in circles. */
const pointsToFile = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

function readable(path: string) {
  return (error: NodeJS.ErrnoException): never => {
    if (error.code === 'ENOENT') throw new Failure('notFound', 'no_such_file', `There is no ${path}.`)
    throw new Failure('failure', 'file_unreadable', `${path} cannot be read (${error.code}).`)
  }
}

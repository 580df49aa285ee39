import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from './failure.ts'

/** The folder that a download is written into, and never out of: no link in it is followed. */
export class Target {
  readonly folder: string
  readonly #made = new Map<string, Promise<void>>()

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Makes the folder where there is none. */
  static async open(path: string): Promise<Target> {
    try {
      await mkdir(path, { recursive: true })
      return new Target(await realpath(path))
    } catch (error) {
      throw new Failure('failure', 'target_unusable', `${path} cannot be written to (${(error as NodeJS.ErrnoException).code}).`)
    }
  }

  /** The size and time of a regular file; null when there is nothing. Throws a Failure for anything else, and when the way leads over a link. */
  async look(name: string): Promise<{ size: number; mtimeMs: number } | null> {
    const segments = name.split('/')
    for (let depth = 1; depth < segments.length; depth++) {
      const found = await this.#lstat(segments.slice(0, depth).join('/'))
      if (!found) return null
      if (!found.isDirectory()) throw inTheWay(this.path(segments.slice(0, depth).join('/')))
    }
    const found = await this.#lstat(name)
    if (found && !found.isFile()) throw inTheWay(this.path(name))
    return found
  }

  /** Opens a file for reading and writing, and makes it with its folders where there is none. */
  async open(name: string): Promise<FileHandle> {
    await this.#makeFolder(dirname(name))
    await this.look(name)
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants
    return open(this.path(name), O_RDWR | O_CREAT | (O_NOFOLLOW ?? 0), 0o666)
  }

  /** Gives a file its name, in place of whatever file or link has it. */
  async move(from: string, to: string): Promise<void> {
    await rename(this.path(from), this.path(to))
  }

  async remove(name: string): Promise<void> {
    await rm(this.path(name), { force: true })
  }

  path(name: string): string {
    return join(this.folder, ...name.split('/'))
  }

  #makeFolder(name: string): Promise<void> {
    if (name === '.') return Promise.resolve()
    const making = this.#made.get(name) ?? this.#makeFolderIn(dirname(name), name)
    this.#made.set(name, making)
    return making
  }

  async #makeFolderIn(parent: string, name: string): Promise<void> {
    await this.#makeFolder(parent)
    await mkdir(this.path(name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    if (!(await lstat(this.path(name))).isDirectory()) throw inTheWay(this.path(name))
  }

  #lstat(name: string) {
    return lstat(this.path(name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
  }
}

const inTheWay = (path: string) =>
  new Failure('exists', 'in_the_way', `${path} is in the way: a link, or not what the download needs there.`)

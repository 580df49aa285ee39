import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from './failure.ts'

/** The folder of a download. Nothing is written outside it: no link inside is followed. */
export class Target {
  readonly folder: string
  readonly #folders = new Map<string, Promise<void>>()

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Creates the folder if needed. */
  static async open(path: string): Promise<Target> {
    try {
      await mkdir(path, { recursive: true })
      return new Target(await realpath(path))
    } catch (error) {
      throw new Failure('failure', 'target_unusable', `${path} cannot be written to (${(error as NodeJS.ErrnoException).code}).`)
    }
  }

  /**
   * Returns the size and time of a regular file; null when it does not exist. @throws Failure for
   * other types, and for a path over a link
   */
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

  /** Opens a file for reading and writing, and creates it and its folders if needed. */
  async open(name: string): Promise<FileHandle> {
    await this.#createFolder(dirname(name))
    await this.look(name)
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants
    return open(this.path(name), O_RDWR | O_CREAT | (O_NOFOLLOW ?? 0), 0o666)
  }

  /** Renames a file, replacing a file or link of that name. */
  async move(from: string, to: string): Promise<void> {
    await rename(this.path(from), this.path(to))
  }

  async remove(name: string): Promise<void> {
    await rm(this.path(name), { force: true })
  }

  path(name: string): string {
    return join(this.folder, ...name.split('/'))
  }

  #createFolder(name: string): Promise<void> {
    if (name === '.') return Promise.resolve()
    const creating = this.#folders.get(name) ?? this.#createFolderIn(dirname(name), name)
    this.#folders.set(name, creating)
    return creating
  }

  async #createFolderIn(parent: string, name: string): Promise<void> {
    await this.#createFolder(parent)
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

const inTheWay = (path: string) => new Failure('exists', 'in_the_way', `${path} is in the way: it is a link or has the wrong type.`)

import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { Context } from '../../../src/context.ts'
import type { ObjectStore } from '../../../src/storage/object-store.ts'

const run = promisify(execFile)

/** The paths of all files in the disk store of a test's context, below its folder. */
export async function storedFiles({ env }: Pick<Context, 'env'>): Promise<string[]> {
  const entries = await readdir(join(env.dataDir, 'objects'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.map((file) => file.slice(env.dataDir.length + '/objects/'.length)).sort()
}

/**
 * A store whose objects end only after `open` is called, so that a reader stays in the middle of
 * one. `reading` resolves when a read begins.
 */
export function gatedStore(store: ObjectStore): { storage: ObjectStore; open(): void; reading: Promise<void> } {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const storage: ObjectStore = {
    ...store,
    async read(key, range) {
      const source = await store.read(key, range)
      return Readable.from(
        (async function* () {
          for await (const chunk of source) yield chunk
          begun.resolve()
          await gate.promise
        })(),
        { objectMode: false },
      )
    },
  }
  return { storage, open: gate.resolve, reading: begun.promise }
}

/**
 * Extracts an archive with Info-ZIP's unzip and returns the content of every file by name. Throws
 * when it finds a fault.
 */
export async function unzipped(archive: Buffer): Promise<Record<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-unzip-'))
  try {
    await writeFile(join(folder, 'a.zip'), archive)
    await run('unzip', ['-q', 'a.zip', '-d', 'out'], { cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8' } })
    const entries = await readdir(join(folder, 'out'), { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    const contents = files.map(async (file) => [file.slice(folder.length + '/out/'.length), await readFile(file)] as const)
    return Object.fromEntries(await Promise.all(contents))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Waits until `holds` returns true. Polls every 50 ms, for a minute at most. */
export async function eventually(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; !(await holds()); ) {
    if (Date.now() > deadline) throw new Error(`It never came about: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

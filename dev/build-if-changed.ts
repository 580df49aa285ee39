import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = dirname(import.meta.dirname)

/**
 * Builds the folder `target` with `build`, unless it was built from the same `sources` (glob
 * patterns from the project's root). `build` writes into a folder beside it, which replaces it at
 * the end, so that a failed or parallel build never leaves half of it. Returns whether it was built.
 */
export async function buildIfChanged(target: string, sources: string[], build: (folder: string) => Promise<void>): Promise<boolean> {
  const hash = hashOf(sources)
  if (isBuiltFrom(target, hash)) return false
  const fresh = `${target}.${process.pid}`
  try {
    await build(fresh)
    writeFileSync(hashFileOf(fresh), hash)
    swap(fresh, target, hash)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return true
}

const hashFileOf = (folder: string) => join(folder, 'sources.sha256')

function isBuiltFrom(folder: string, hash: string): boolean {
  const file = hashFileOf(folder)
  return existsSync(file) && readFileSync(file, 'utf8') === hash
}

function hashOf(sources: string[]): string {
  const hash = createHash('sha256')
  const files = globSync(sources, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  for (const file of files.sort())
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0')
  return hash.digest('hex')
}

function swap(fresh: string, target: string, hash: string): void {
  const old = `${fresh}.old`
  if (existsSync(target)) renameSync(target, old)
  try {
    renameSync(fresh, target)
  } catch (error) {
    if (!isBuiltFrom(target, hash)) throw error // otherwise a parallel build of the same sources was faster
  }
  rmSync(old, { recursive: true, force: true })
}

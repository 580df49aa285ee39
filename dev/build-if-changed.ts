import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = dirname(import.meta.dirname)

/**
 * Builds the folder `target` with `build`, unless it was built from the same `sources` (glob
 * patterns from the project's root). `build` writes into a folder beside it, which replaces it at
 * the end, so that a failed or parallel build never leaves half of it. Returns whether it was built.
 */
export async function buildIfChanged(target: string, sources: string[], build: (folder: string) => Promise<void>): Promise<boolean> {
  const stamp = stampOf(sources) // before the files are read, so that a change meanwhile is noticed
  const hash = hashOf(sources)
  const isBuilt = isBuiltFrom(target, hash)
  if (!isBuilt) await replace(target, hash, build)
  writeFileSync(stampFileOf(target), JSON.stringify({ sources, stamp }))
  return !isBuilt
}

/** Returns whether the sources of `target` have the same sizes and times as at its last check. */
export function looksUnchanged(target: string): boolean {
  const file = stampFileOf(target)
  if (!existsSync(file)) return false
  const { sources, stamp } = JSON.parse(readFileSync(file, 'utf8')) as { sources: string[]; stamp: string }
  return stampOf(sources) === stamp
}

async function replace(target: string, hash: string, build: (folder: string) => Promise<void>): Promise<void> {
  const fresh = `${target}.${process.pid}`
  try {
    await build(fresh)
    writeFileSync(hashFileOf(fresh), hash)
    swap(fresh, target, hash)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

const hashFileOf = (folder: string) => join(folder, 'sources.sha256')
const stampFileOf = (folder: string) => join(folder, 'sources.json')

function isBuiltFrom(folder: string, hash: string): boolean {
  const file = hashFileOf(folder)
  return existsSync(file) && readFileSync(file, 'utf8') === hash
}

function hashOf(sources: string[]): string {
  const hash = createHash('sha256')
  for (const file of filesOf(sources))
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0')
  return hash.digest('hex')
}

function stampOf(sources: string[]): string {
  const hash = createHash('sha256')
  for (const file of filesOf(sources)) {
    const { size, mtimeMs } = statSync(file)
    hash.update(`${file}\0${size}\0${mtimeMs}\0`)
  }
  return hash.digest('hex')
}

function filesOf(sources: string[]): string[] {
  return globSync(sources, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
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

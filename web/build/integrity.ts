import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Integrity } from '../../src/pages/site.ts'

/** Returns the hashes of all built scripts and styles. */
export function integrityOf(folder: string): Integrity {
  const files = globSync('assets/*.{js,css}', { cwd: folder }).sort()
  const hashOf = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('base64')
  return Object.fromEntries(files.map((file) => [`/${file}`, `sha256-${hashOf(file)}`]))
}

/** Adds the hashes to the links in index.html. */
export function addIntegrity(folder: string, integrity: Integrity): void {
  const path = join(folder, 'index.html')
  const html = readFileSync(path, 'utf8').replace(/ href="(\/assets\/[^"]+)"/g, (href, file: string) => {
    const hash = integrity[file]
    if (!hash) throw new Error(`index.html loads ${file}, which was not built.`)
    return `${href} integrity="${hash}"`
  })
  writeFileSync(path, html)
}

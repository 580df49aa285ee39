import type { Integrity } from './site.ts'

interface Hashes {
  integrity: Integrity
}

/** Returns the attribute with the hash of a script or style, after a space. */
export function integrityAttribute({ integrity }: Hashes, language: Hashes, path: string): string {
  const hash = integrity[path] ?? language.integrity[path]
  return hash ? ` integrity="${hash}"` : ''
}

/**
 * Returns the hashes of all modules that a page in the language may load, also later (HTML, import
 * maps). Those of other languages are left out, because the page reloads to change its language.
 */
export function importMap({ integrity }: Hashes, language: Hashes): Hashes {
  const modules = Object.entries({ ...integrity, ...language.integrity }).filter(([path]) => path.endsWith('.js'))
  return { integrity: Object.fromEntries(modules) }
}

import type { BuiltLanguage, Site } from './site.ts'

type Hashes = Pick<Site, 'integrity'>

/** Returns the attribute with the hash of a script or style, after a space. */
export function integrityAttribute({ integrity }: Hashes, language: Pick<BuiltLanguage, 'integrity'>, path: string): string {
  const hash = integrity[path] ?? language.integrity[path]
  return hash ? ` integrity="${hash}"` : ''
}

/**
 * Returns the hashes of all modules that a page in the language may load, also later (HTML, import
 * maps). Those of other languages are left out, because the page reloads to change its language.
 */
export function importMap({ integrity }: Hashes, language: Pick<BuiltLanguage, 'integrity'>): { integrity: Record<string, string> } {
  const modules = Object.entries({ ...integrity, ...language.integrity }).filter(([path]) => path.endsWith('.js'))
  return { integrity: Object.fromEntries(modules) }
}

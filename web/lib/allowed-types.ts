import type { TFunction } from 'i18next'
import type { FileSource } from '../../uploader/types.ts'

/**
 * Splits files into those that a reverse share may accept and those that it refuses.
 * The server decides about files whose type the browser does not know.
 * `allowed` has extensions (`.pdf`) and media types (`image/*`); an empty list allows every file.
 */
export function splitByType(files: readonly FileSource[], allowed: readonly string[]): { accepted: FileSource[]; refused: FileSource[] } {
  return { accepted: files.filter((file) => mayBeAccepted(file, allowed)), refused: files.filter((file) => !mayBeAccepted(file, allowed)) }
}

/**
 * Returns the value of a file field's `accept` attribute, or undefined if every file is allowed.
 */
export function acceptOf(allowed: readonly string[]): string | undefined {
  return allowed.length === 0 ? undefined : allowed.map(withDot).join(',')
}

/** Returns the types as text: `.pdf, images`. */
export function typesText(t: TFunction, types: readonly string[]): string {
  return types.map((type) => t(`send.kind.${type.toLowerCase()}`, withDot(type))).join(', ')
}

function withDot(type: string): string {
  return type.includes('/') || type.startsWith('.') ? type : `.${type}`
}

function mayBeAccepted(file: FileSource, allowed: readonly string[]): boolean {
  return allowed.length === 0 || allowed.some((type) => mayMatch(file, type.toLowerCase()))
}

function mayMatch({ name, type: fileType }: FileSource, type: string): boolean {
  if (!type.includes('/')) return name.toLowerCase().endsWith(withDot(type))
  const media = fileType.replace(/;.*/s, '').trim().toLowerCase()
  if (media === '' || media === 'application/octet-stream') return true
  return type.endsWith('/*') ? media.startsWith(type.slice(0, -1)) : media === type
}

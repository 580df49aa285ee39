import type { TFunction } from 'i18next'
import type { FileSource } from '../../uploader/types.ts'

/**
 * Parts files into those that a reverse share may take and those that it does not take. Where the browser does not know what a file is, the server decides.
 * `allowed`: extensions (`.pdf`) and media types (`image/*`); none: every file.
 */
export function sortOut(files: readonly FileSource[], allowed: readonly string[]): { taken: FileSource[]; refused: FileSource[] } {
  return { taken: files.filter((file) => mayBeTaken(file, allowed)), refused: files.filter((file) => !mayBeTaken(file, allowed)) }
}

/** The types as the attribute `accept` wants them; undefined for every file. */
export function acceptOf(allowed: readonly string[]): string | undefined {
  return allowed.length === 0 ? undefined : allowed.map(withDot).join(',')
}

/** The types as people read them: `.pdf, images`. */
export function typesText(t: TFunction, types: readonly string[]): string {
  return types.map((type) => t(`send.kind.${type.toLowerCase()}`, withDot(type))).join(', ')
}

function withDot(type: string): string {
  return type.includes('/') || type.startsWith('.') ? type : `.${type}`
}

function mayBeTaken(file: FileSource, allowed: readonly string[]): boolean {
  return allowed.length === 0 || allowed.some((type) => mayBe(file, type.toLowerCase()))
}

function mayBe({ name, type: said }: FileSource, type: string): boolean {
  if (!type.includes('/')) return name.toLowerCase().endsWith(withDot(type))
  const media = said.split(';')[0]!.trim().toLowerCase()
  if (media === '' || media === 'application/octet-stream') return true
  return type.endsWith('/*') ? media.startsWith(type.slice(0, -1)) : media === type
}

import { sealedNamePattern } from '../../src/shares/document/limits.ts'
import { descriptionMaxLength, fileNameMaxBytes, nameMaxLength } from '../../src/shares/limits.ts'
import { EncryptionError } from './error.ts'

/** What the encrypted document of a share says. */
export interface ShareContent {
  name: string | null
  description: string | null
  /** text: a text that was entered instead of files; it is in the only file. */
  kind: 'files' | 'text'
  files: readonly SharedFileContent[]
}

export interface SharedFileContent {
  /** The random name that the file has on the server. */
  file: string
  /** With its folders, such as `photos/a.jpg`. */
  name: string
  /** Media type, or empty. */
  type: string
  /** Bytes of plaintext. */
  size: number
  /** Of the plaintext. */
  crc32: number
  /** A small picture of the file: WebP in base64url. */
  thumbnail?: string
}

const sealedName = new RegExp(sealedNamePattern)
const typeMaxLength = 255
/** Length of a thumbnail in bytes. */
export const thumbnailMaxBytes = 8_192
const thumbnailPattern = /^UklGR[\w-]+$/ // RIFF, with which WebP begins
const encoder = new TextEncoder()

/**
 * Checks what a document says, because the sender may be hostile. Unknown fields are left out, so
 * that later versions can add some.
 * @throws EncryptionError `damaged`
 */
export function readContent(value: unknown): ShareContent {
  const { name = null, description = null, kind = 'files', files } = fieldsOf(value)
  if (!isText(name, nameMaxLength) || !isText(description, descriptionMaxLength) || !isKind(kind) || !Array.isArray(files)) throw invalid()
  const read = files.map(readFile)
  if (new Set(read.map(({ file }) => file)).size < read.length) throw invalid()
  return { name, description, kind, files: read }
}

function readFile(value: unknown): SharedFileContent {
  const { file, name, type = '', size, crc32, thumbnail } = fieldsOf(value)
  if (typeof file !== 'string' || !sealedName.test(file) || !isFileName(name)) throw invalid()
  if (typeof type !== 'string' || type.length > typeMaxLength) throw invalid()
  if (!isCount(size, Number.MAX_SAFE_INTEGER) || !isCount(crc32, 0xffff_ffff)) throw invalid()
  return { file, name, type, size, crc32, ...(isThumbnail(thumbnail) && { thumbnail }) }
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid()
  return value as Record<string, unknown>
}

/** Returns whether a name keeps those of the server's rules that protect the visitor who saves the file. */
export function isFileName(name: unknown): name is string {
  if (typeof name !== 'string' || /[\p{Cc}\\]/u.test(name) || encoder.encode(name).length > fileNameMaxBytes) return false
  return name.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
}

/** An invalid thumbnail is left out, because the file is complete without it. */
const isThumbnail = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= (thumbnailMaxBytes * 4) / 3 + 1 && thumbnailPattern.test(value)
const isText = (value: unknown, max: number): value is string | null => value === null || (typeof value === 'string' && value.length <= max)
const isKind = (value: unknown): value is ShareContent['kind'] => value === 'files' || value === 'text'
const isCount = (value: unknown, max: number): value is number => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max
const invalid = () => new EncryptionError('damaged', 'The list of files is invalid.')

import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { contentTypeOf } from '../downloads/bytes/content-types.ts'
import { AppError } from '../errors.ts'
import type { Share } from '../shares/queries.ts'
import { allowedTypesOf } from '../shares/reverse/queries.ts'
import { hasSignature, isMarkup, signatureOf } from './signatures.ts'

interface TypedFile {
  name: string
  /** The media type stated by the client. */
  type?: string | null | undefined
}

/** Bytes at the start of a file that are inspected. */
export const headBytes = 1024
const octets = 'application/octet-stream'

/**
 * Extensions that downloads are sent without a specific type for, because a browser could run the
 * content.
 */
const risky = new Map([
  ...['exe', 'dll', 'com', 'scr', 'cpl', 'pif'].map((extension) => [extension, 'application/x-msdownload'] as const),
  ...['bat', 'cmd', 'ps1', 'vbs', 'vbe', 'wsf', 'hta', 'lnk', 'reg'].map((extension) => [extension, 'application/x-bat'] as const),
  ...['html', 'htm', 'shtml'].map((extension) => [extension, 'text/html'] as const),
  ...['js', 'mjs', 'cjs', 'jse'].map((extension) => [extension, 'text/javascript'] as const),
  ...['sh', 'bash', 'command'].map((extension) => [extension, 'application/x-sh'] as const),
  ['css', 'text/css'],
  ['jar', 'application/java-archive'],
  ['msi', 'application/x-msi'],
  ['svg', 'image/svg+xml'],
  ['xhtml', 'application/xhtml+xml'],
  ['xml', 'application/xml'],
  ['csv', 'text/csv'],
  ['json', 'application/json'],
  ['md', 'text/markdown'],
])

/** Other names of media types that some browsers and users use. */
const aliases = new Map([
  ['application/x-zip-compressed', 'application/zip'],
  ['application/x-zip', 'application/zip'],
  ['application/x-rar-compressed', 'application/vnd.rar'],
  ['application/x-gzip', 'application/gzip'],
  ['application/x-pdf', 'application/pdf'],
  ['application/javascript', 'text/javascript'],
  ['application/x-javascript', 'text/javascript'],
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['text/xml', 'application/xml'],
])

/** Types that `text/plain` includes, because many clients call them that. */
const plain = new Set(['text/csv', 'text/markdown', 'application/json'])

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/
const mediaTypeMaxLength = 255

/** Returns the media type stated by a client if it is well-formed and not too long, else null. */
export function declaredType(type: string | undefined): string | null {
  return type && type.length <= mediaTypeMaxLength && mediaType.test(type) ? type : null
}

/** Returns the types that the reverse share of a share accepts; empty if it accepts all. */
export async function allowedTypesFor(db: Db, { reverseShareId }: Pick<Share, 'reverseShareId'>): Promise<string[]> {
  return reverseShareId === null ? [] : allowedTypesOf(db, reverseShareId)
}

/**
 * Checks that the reverse share of a share accepts a file of this name and type.
 *
 * @throws {AppError} file_type_not_allowed: with the `allowed` types
 */
export async function checkFileType(db: Db, share: Pick<Share, 'reverseShareId'>, file: TypedFile): Promise<void> {
  requireType(file, await allowedTypesFor(db, share))
}

/**
 * Checks that a file of this name and type is of an allowed type. Without allowed types, every file
 * is accepted.
 *
 * @throws {AppError} file_type_not_allowed: with the `allowed` types
 */
export function requireType(file: TypedFile, allowed: readonly string[]): void {
  if (allowed.length > 0 && !allowed.some((type) => isOfType(file, type))) throw new AppError('file_type_not_allowed', { allowed })
}

/**
 * Checks that the first bytes of a complete object don't contradict the types that its reverse
 * share allows: they must not belong to a type that is not allowed, and must match the file's own
 * type. Types without a known signature always pass.
 *
 * @throws {AppError} file_type_not_allowed: with the `allowed` types
 */
export async function checkContent(
  { db, storage }: Pick<Context, 'db' | 'storage'>,
  share: Pick<Share, 'reverseShareId'>,
  file: TypedFile & { objectKey: string; size: number },
): Promise<void> {
  const allowed = file.size === 0 ? [] : await allowedTypesFor(db, share)
  if (allowed.length === 0) return
  const head = Buffer.alloc(Math.min(file.size, headBytes))
  await storage.readInto(file.objectKey, 0, head)
  requireContent(file, head, allowed)
}

/**
 * Does the same for the bytes of a complete file.
 *
 * @throws {AppError} file_type_not_allowed: with the `allowed` types
 */
export function requireContent(file: TypedFile, bytes: Buffer, allowed: readonly string[]): void {
  const isChecked = allowed.length > 0 && bytes.length > 0
  if (isChecked && !isContentAllowed(file, bytes.subarray(0, headBytes), allowed)) throw new AppError('file_type_not_allowed', { allowed })
}

/** Returns whether the first bytes of a file match at least one of the allowed types. */
export function isContentAllowed(file: TypedFile, head: Buffer, allowed: readonly string[]): boolean {
  const signature = signatureOf(head)
  if (signature) return allowed.some((type) => signature.types.some((media) => isMedia(media, mediaOfType(type, file))))
  const media = mediaOf(file)
  if (isMarkup(head)) return media.startsWith('text/') || media === 'image/svg+xml' || /[/+]xml$/.test(media) || media === octets
  return !hasSignature(media)
}

/**
 * Returns the media type of an allowed type, which may be an extension. Unknown extensions allow
 * any content.
 */
function mediaOfType(type: string, file: TypedFile): string {
  if (type.includes('/')) return normalize(type)
  const media = mediaOfName(`x.${type.replace(/^\./, '')}`)
  return media === octets && isOfType(file, type) ? '*/*' : media
}

/**
 * Returns whether a file has a type: an extension (`.pdf`), or a media type (`image/*`,
 * `application/pdf`). The name decides; the type stated by the client counts only for names without
 * a known extension.
 */
export function isOfType(file: TypedFile, type: string): boolean {
  const expected = normalize(type)
  if (!expected.includes('/')) return file.name.toLowerCase().endsWith(`.${expected.replace(/^\./, '')}`)
  return isMedia(mediaOf(file), expected)
}

function mediaOf({ name, type }: TypedFile): string {
  const media = mediaOfName(name)
  return media === octets ? normalize(type ?? octets) : media
}

function mediaOfName(name: string): string {
  const extension = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return risky.get(extension) ?? normalize(contentTypeOf(name).type)
}

function isMedia(media: string, pattern: string): boolean {
  if (pattern === '*/*') return true
  if (pattern === 'text/plain' && plain.has(media)) return true
  return pattern.endsWith('/*') ? media.startsWith(pattern.slice(0, -1)) : media === pattern
}

function normalize(type: string): string {
  const media = type.replace(/;.*$/s, '').trim().toLowerCase()
  return aliases.get(media) ?? media
}

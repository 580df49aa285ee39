import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { contentTypeOf } from '../downloads/bytes/content-types.ts'
import { AppError } from '../errors.ts'
import type { Share } from '../shares/queries.ts'
import { allowedTypesOf } from '../shares/reverse/queries.ts'
import { hasSignature, isMarkup, signatureOf } from './signatures.ts'

interface Named {
  name: string
  /** What kind of media the client says it is. */
  type?: string | null | undefined
}

/** Bytes that are looked at. */
const headBytes = 1024
const octets = 'application/octet-stream'

/** Extensions that downloads name no type for, because a browser could run them. */
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

/** Other names of media types, as some browsers and people say them. */
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

/** Types that many name `text/plain`. */
const plain = new Set(['text/csv', 'text/markdown', 'application/json'])

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/

/** What kind of media a client says a file is, as far as that is kept: null for anything else. */
export function declaredType(type: string | undefined): string | null {
  return type && mediaType.test(type) ? type : null
}

/** Throws `file_type_not_allowed` with the `allowed` ones when the reverse share that a share came through does not take such a file. */
export async function checkFileType(db: Db, { reverseShareId }: Pick<Share, 'reverseShareId'>, file: Named): Promise<void> {
  const allowed = reverseShareId === null ? [] : await allowedTypesOf(db, reverseShareId)
  if (allowed.length > 0 && !allowed.some((type) => isOfType(file, type))) throw new AppError('file_type_not_allowed', { allowed })
}

/**
 * Throws `file_type_not_allowed` with the `allowed` ones when a complete object's first bytes contradict them: they are of another type that is not allowed,
 * or not what files of its own type begin with. Types without a known signature are taken as they are.
 */
export async function checkContent(
  { db, storage }: Pick<Context, 'db' | 'storage'>,
  { reverseShareId }: Pick<Share, 'reverseShareId'>,
  file: Named & { objectKey: string; size: number },
): Promise<void> {
  const allowed = reverseShareId === null || file.size === 0 ? [] : await allowedTypesOf(db, reverseShareId)
  if (allowed.length === 0) return
  const head = Buffer.alloc(Math.min(file.size, headBytes))
  await storage.readInto(file.objectKey, 0, head)
  if (!isContentAllowed(file, head, allowed)) throw new AppError('file_type_not_allowed', { allowed })
}

/** Whether the first bytes of a file agree with at least one of the allowed types. */
export function isContentAllowed(file: Named, head: Buffer, allowed: readonly string[]): boolean {
  const found = signatureOf(head)
  if (found) return allowed.some((type) => found.types.some((media) => isMedia(media, mediaOfType(type, file))))
  const media = mediaOf(file)
  if (isMarkup(head)) return media.startsWith('text/') || media === 'image/svg+xml' || /[/+]xml$/.test(media) || media === octets
  return !hasSignature(media)
}

/** The media type that an allowed type stands for: of an extension its own. One of no known type allows whatever such a file holds. */
function mediaOfType(type: string, file: Named): string {
  if (type.includes('/')) return normal(type)
  const media = mediaOfName(`x.${type.replace(/^\./, '')}`)
  return media === octets && isOfType(file, type) ? '*/*' : media
}

/**
 * Whether a file is of a type: an extension (`.pdf`), or a media type (`image/*`, `application/pdf`). The name decides; what the client says counts only for
 * names without a known extension.
 */
export function isOfType(file: Named, type: string): boolean {
  const wanted = normal(type)
  if (!wanted.includes('/')) return file.name.toLowerCase().endsWith(`.${wanted.replace(/^\./, '')}`)
  return isMedia(mediaOf(file), wanted)
}

function mediaOf({ name, type }: Named): string {
  const media = mediaOfName(name)
  return media === octets ? normal(type ?? octets) : media
}

function mediaOfName(name: string): string {
  const extension = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return risky.get(extension) ?? normal(contentTypeOf(name).type)
}

function isMedia(media: string, wanted: string): boolean {
  if (wanted === '*/*') return true
  if (wanted === 'text/plain' && plain.has(media)) return true
  return wanted.endsWith('/*') ? media.startsWith(wanted.slice(0, -1)) : media === wanted
}

function normal(type: string): string {
  const media = type.split(';')[0]!.trim().toLowerCase()
  return aliases.get(media) ?? media
}

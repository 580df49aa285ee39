import { AppError } from '../errors.ts'
import { refusedField } from '../http/error-handler.ts'
import { isBlank } from '../invisible-characters.ts'
import { sealedNamePattern } from '../shares/document/limits.ts'
import { fileNameMaxBytes, segmentMaxLength } from '../shares/limits.ts'
import type { Share } from '../shares/queries.ts'

/**
 * The rules for file names. They are checked in this order, and the error names the first
 * violation.
 */
const rules: [rule: string, isViolated: (name: string) => boolean, limit?: { max: number; unit: string }][] = [
  ['unicode', (name) => !name.isWellFormed()],
  ['control_character', (name) => /\p{Cc}/u.test(name)],
  ['backslash', (name) => name.includes('\\')],
  ['leading_slash', (name) => name.startsWith('/')],
  ['empty_segment', (name) => name.split('/').includes('')],
  ['dot_segment', (name) => name.split('/').some((segment) => segment === '.' || segment === '..')],
  ['blank', (name) => name.split('/').some(isBlank)],
  [
    'segment_too_long',
    (name) => name.split('/').some((segment) => segment.length > segmentMaxLength),
    { max: segmentMaxLength, unit: 'UTF-16 code units' },
  ],
  ['name_too_long', (name) => Buffer.byteLength(name) > fileNameMaxBytes, { max: fileNameMaxBytes, unit: 'bytes of UTF-8' }],
]

const sealedName = new RegExp(sealedNamePattern)

/**
 * Checks a file's name, in which `/` separates folders. Valid names are stored unchanged.
 *
 * @throws {AppError} file_name_invalid: with the `rule` that the name violates, and its `max` and
 *   `unit`
 */
export function checkFileName(name: string): void {
  const [rule, , limit] = rules.find(([, isViolated]) => isViolated(name)) ?? []
  if (rule) throw new AppError('file_name_invalid', { rule, ...limit })
}

/**
 * Checks the name of a file for a share. Files of an encrypted share have random names, so that no
 * client sends a readable one by mistake.
 *
 * @throws {AppError} file_name_invalid: with the `rule` that the name violates
 */
export function checkNameFor({ encrypted }: Pick<Share, 'encrypted'>, name: string): void {
  checkFileName(name)
  if (encrypted && !sealedName.test(name)) throw new AppError('file_name_invalid', { rule: 'not_encrypted' })
}

/** Checks a file for a share like `checkNameFor`. One of an encrypted share has no media type. */
export function checkNewFile(share: Pick<Share, 'encrypted'>, { name, type }: { name: string; type?: string }): void {
  checkNameFor(share, name)
  if (share.encrypted && type) throw refusedField('type', 'is in the document of an encrypted share', 'const')
}

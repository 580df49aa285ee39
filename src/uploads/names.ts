import { AppError } from '../errors.ts'
import { isBlank } from '../invisible-characters.ts'
import { fileNameMaxBytes, segmentMaxLength } from '../shares/limits.ts'

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

import { AppError } from '../errors.ts'
import { isBlank } from '../invisible-characters.ts'
import { fileNameMaxBytes, segmentMaxBytes } from '../shares/limits.ts'

/** The rules of a file's name, in the order in which they are looked at; the error names the first that is broken. */
const rules: [rule: string, broken: (name: string) => boolean][] = [
  ['unicode', (name) => !name.isWellFormed()],
  ['control_character', (name) => /\p{Cc}/u.test(name)],
  ['backslash', (name) => name.includes('\\')],
  ['leading_slash', (name) => name.startsWith('/')],
  ['empty_segment', (name) => name.split('/').includes('')],
  ['dot_segment', (name) => name.split('/').some((segment) => segment === '.' || segment === '..')],
  ['blank', (name) => name.split('/').some(isBlank)],
  ['segment_too_long', (name) => name.split('/').some((segment) => Buffer.byteLength(segment) > segmentMaxBytes)],
  ['name_too_long', (name) => Buffer.byteLength(name) > fileNameMaxBytes],
]

/** Throws `file_name_invalid` with the `rule` that the name breaks. `/` separates folders; everything that is not refused is kept as given. */
export function checkFileName(name: string): void {
  const [rule] = rules.find(([, broken]) => broken(name)) ?? []
  if (rule) throw new AppError('file_name_invalid', { rule })
}

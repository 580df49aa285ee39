import type { SharePage } from '../src/shares/contract.ts'
import { fileNameMaxBytes } from '../src/shares/limits.ts'
import { Failure } from './failure.ts'

const segmentsMax = 256
const idPattern = /^[\w-]{1,200}$/

interface ListedFile {
  id: string
  name: string
  /** Bytes. */
  size: number
}

/**
 * Returns the files that a server lists. @throws Failure when one of them is invalid: the server
 * may be hostile
 */
export function listedFiles(files: SharePage['files']): ListedFile[] {
  if (!Array.isArray(files)) throw unexpected('no list of files')
  return files.map((file: Partial<SharePage['files'][number]> | null) => {
    const { name, size } = file ?? {}
    return { id: checkedId(file?.id), name: checkedName(name), size: checkedSize(size) }
  })
}

/**
 * Returns the IDs of the files that the user wants: the one that the link opens, or those with the
 * given names and in the given folders, or all.
 * @throws Failure `file_not_found`: the share has no such file or folder
 */
export function wantedFiles(files: SharePage['files'], names: readonly string[], linkedId: string | null): Set<string> {
  const listed = listedFiles(files)
  if (names.length === 0) {
    const wanted = listed.filter(({ id }) => linkedId === null || id === linkedId)
    if (wanted.length === 0 && linkedId !== null) throw new Failure('notFound', 'file_not_found', 'The share no longer has this file.')
    return new Set(wanted.map(({ id }) => id))
  }
  const paths = names.map((name) => name.replace(/^\.\//, '').replace(/\/+$/, ''))
  const matches = ({ name }: ListedFile, path: string) => name === path || name.startsWith(`${path}/`)
  const missing = paths.filter((path) => !listed.some((file) => matches(file, path)))
  if (missing.length > 0)
    throw new Failure('notFound', 'file_not_found', `The share has no file or folder named ${missing.join(', ')}.`, { files: missing })
  return new Set(listed.filter((file) => paths.some((path) => matches(file, path))).map(({ id }) => id))
}

/**
 * Returns an id that the server sent, which becomes part of URLs and file names. @throws Failure
 * when it is invalid
 */
export function checkedId(id: unknown): string {
  if (typeof id !== 'string' || !idPattern.test(id)) throw unexpected('an invalid id')
  return id
}

function checkedName(name: unknown): string {
  const isName = typeof name === 'string' && name.length <= fileNameMaxBytes
  if (!isName || name.split('/', segmentsMax + 1).length > segmentsMax) throw unexpected('a file name that is too long')
  return name
}

function checkedSize(size: unknown): number {
  const bytes = typeof size === 'string' && /^\d{1,16}$/.test(size) ? Number(size) : Number.NaN
  if (!Number.isSafeInteger(bytes)) throw unexpected('a file size that is not a number of bytes')
  return bytes
}

const unexpected = (what: string) => new Failure('failure', 'unexpected_answer', `The server sent ${what}.`)

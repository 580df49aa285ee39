import type { Db } from '../db/schema.ts'
import { contentTypeOf } from '../downloads/content-types.ts'
import { AppError } from '../errors.ts'
import type { Share } from '../shares/queries.ts'
import { allowedTypesOf } from '../shares/reverse-queries.ts'

interface Named {
  name: string
  /** What kind of media the client says it is. */
  type?: string | null | undefined
}

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/

/** What kind of media a client says a file is, as far as that is kept: null for anything else. */
export function saidType(type: string | undefined): string | null {
  return type && mediaType.test(type) ? type : null
}

/** Throws `file_type_not_allowed` with the `allowed` ones when the reverse share that a share came through does not take such a file. */
export async function checkFileType(db: Db, { reverseShareId }: Pick<Share, 'reverseShareId'>, file: Named): Promise<void> {
  const allowed = reverseShareId === null ? [] : await allowedTypesOf(db, reverseShareId)
  if (allowed.length > 0 && !allowed.some((type) => isOfType(file, type))) throw new AppError('file_type_not_allowed', { allowed })
}

/**
 * Whether a file is of a type: an extension (`.pdf`), or a media type (`image/*`, `application/pdf`), of which the file's name and the client each say
 * one. It keeps honest senders from mistakes; what is in the bytes nobody looks at.
 */
export function isOfType({ name, type: said }: Named, type: string): boolean {
  const wanted = type.toLowerCase()
  if (!wanted.includes('/')) return name.toLowerCase().endsWith(`.${wanted.replace(/^\./, '')}`)
  const is = (media: string) => (wanted.endsWith('/*') ? media.startsWith(wanted.slice(0, -1)) : media === wanted)
  return [contentTypeOf(name).type, said ?? ''].some((media) => is(media.split(';')[0]!.trim().toLowerCase()))
}

import type { Insertable } from 'kysely'
import type { Db, OldLinkTable } from '../../db/schema.ts'

type Target = Partial<Omit<Insertable<OldLinkTable>, 'address'>>

/**
 * Records the former addresses of a share, a file or a reverse share. An address that has a row
 * keeps it.
 */
export async function insertOldLinks(db: Db, addresses: readonly string[], target: Target): Promise<void> {
  if (addresses.length === 0) return
  await db
    .insertInto('oldLink')
    .values(addresses.map((address) => ({ address, ...target })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Finds what had a former address: the link of the share or the reverse share, and the file.
 * `isLocked`: not every visitor may see the share's files, its link is off, or the share has expired,
 * or was removed or deleted.
 */
export function findOldLink(db: Db, address: string, now: Date) {
  return db
    .selectFrom('oldLink')
    .leftJoin('reverseShare', 'reverseShare.id', 'oldLink.reverseShareId')
    .leftJoin('share', 'share.id', 'oldLink.shareId')
    .select(['oldLink.shareId', 'oldLink.fileId', 'reverseShare.token'])
    .select((eb) =>
      eb
        .or([
          eb('share.passwordHash', 'is not', null),
          eb('share.private', '=', true),
          eb('share.linkEnabled', '=', false),
          eb('share.removedReason', 'is not', null),
          eb('share.expiresAt', '<=', now),
        ])
        .as('isLocked'),
    )
    .where('oldLink.address', '=', address)
    .executeTakeFirst()
}

/**
 * Finds the published file of a share that a download means: the one with this name, or the only
 * one. undefined if it means all files.
 */
export async function findNamedFile(db: Db, shareId: string, name: string): Promise<string | undefined> {
  const files = db.selectFrom('file').select('id').where('shareId', '=', shareId).where('published', '=', true)
  const named = name === '' ? undefined : await files.where('name', '=', name).executeTakeFirst()
  if (named) return named.id
  const [first, ...others] = await files.limit(2).execute()
  return others.length === 0 ? first?.id : undefined
}

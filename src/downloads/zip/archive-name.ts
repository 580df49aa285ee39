import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import { shareText } from '../../mail/default-texts.ts'
import { ownerOf } from '../../shares/queries.ts'
import type { ShareAccess } from '../queries.ts'
import { zipFileName } from './names.ts'

/**
 * Returns the file name of a share's zip: the share's name or, without one, a text with the owner's
 * name in the site's language (`Files from alice.zip`).
 */
export async function archiveName(
  { db }: Pick<Context, 'db'>,
  { linkId, name, ownerId }: ShareAccess,
  { 'general.language': language }: Pick<Settings, 'general.language'>,
): Promise<string> {
  if (name !== null) return zipFileName(name, linkId)
  const owner = await ownerOf(db, ownerId)
  return zipFileName(owner ? shareText(language, 'titleFrom', { name: owner.username }) : shareText(language, 'title'), linkId)
}

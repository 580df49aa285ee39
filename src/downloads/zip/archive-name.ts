import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { shareText } from '../../mail/default-texts.ts'
import { ownerOf } from '../../shares/queries.ts'
import type { ShareAccess } from '../queries.ts'
import { zipFileName } from './names.ts'

/**
 * Returns the file name of a share's zip: its name, or who the files are from in the language of
 * the site (`Files from alice.zip`).
 */
export async function archiveName(ctx: Pick<Context, 'db' | 'env'>, { id, name, ownerId }: ShareAccess): Promise<string> {
  if (name !== null) return zipFileName(name, id)
  const [settings, owner] = await Promise.all([readSettings(ctx), ownerOf(ctx.db, ownerId)])
  const language = settings['general.language']
  return zipFileName(owner ? shareText(language, 'titleFrom', { name: owner.username }) : shareText(language, 'title'), id)
}

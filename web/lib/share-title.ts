import type { TFunction } from 'i18next'
import { showInvisible } from '../../src/invisible-characters.ts'
import { shareTitle } from '../../src/share-titles.ts'
import type { SharePage } from '../../src/shares/contract.ts'

/** The data that a share's title for its owner is made from. */
export interface OwnedShare {
  id: string
  name: string | null
  kind?: SharePage['kind']
  /** All files or the first ones, or the name of the first. */
  files?: readonly { name: string }[]
  firstFile?: string | null
  fileCount?: number
  encrypted?: boolean
}

/** Returns the title of a share for its visitors: its name, or a text that names its creator. */
export function titleOf({ name, creator, kind }: Pick<SharePage, 'name' | 'creator' | 'kind'>, t: TFunction): string {
  if (name) return showInvisible(name)
  const text = kind === 'text'
  if (creator) return t(text ? 'share.textFrom' : 'share.titleFrom', { name: creator.username })
  return t(text ? 'share.text' : 'share.title')
}

/**
 * Returns a share's title for the user who has created or received it: its name, its first file, or
 * its link. `fileCount` is the number of all files, if `files` has only some.
 */
export function ownTitleOf(
  { id, files = [], fileCount = files.length, firstFile, kind = 'files', name, encrypted = false }: OwnedShare,
  t: TFunction,
): string {
  if (encrypted) return t('share.encrypted')
  const share = { name, firstFile: firstFile ?? files[0]?.name ?? null, fileCount, kind }
  return shareTitle(share, { text: t('share.text'), andMore: (name, count) => t('share.andMore', { name, count }) }) ?? id
}

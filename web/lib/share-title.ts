import type { TFunction } from 'i18next'
import { showInvisible } from '../../src/invisible-characters.ts'
import type { SharePage } from '../../src/shares/contract.ts'

/** Returns the title of a share: its name, or a text that names its creator. */
export function titleOf({ name, creator }: Pick<SharePage, 'name' | 'creator'>, t: TFunction): string {
  if (name) return showInvisible(name)
  return creator ? t('share.titleFrom', { name: creator.username }) : t('share.title')
}

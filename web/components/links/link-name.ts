import type { TFunction } from 'i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'

interface NamedLink {
  id: string
  label?: string | null
  first: boolean
}

/** Returns what the owner of a share calls a link. */
export function linkName({ id, label, first }: NamedLink, t: TFunction): string {
  if (label?.trim()) return showInvisible(label)
  return first ? t('links.first') : id
}

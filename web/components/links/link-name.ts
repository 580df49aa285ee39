import type { TFunction } from 'i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'

interface NamedLink {
  id: string
  label?: string | null
  /** The address of the recipient that the link belongs to. */
  recipient?: string | null
  first: boolean
}

/** Returns what the owner of a share calls a link. */
export function linkName({ id, label, recipient, first }: NamedLink, t: TFunction): string {
  if (label?.trim()) return showInvisible(label)
  return recipient ?? (first ? t('links.first') : id)
}

import type { TFunction } from 'i18next'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import { start } from '../../start.ts'
import { formatExpiration, formatTime, isNever } from '../format.ts'
import { saveBytes } from '../start-download.ts'
import { decryptedContent } from './decrypted-title.ts'

/** What a recovery text says about a share. `link` is the whole link; `name` may be unknown. */
export type RecoverableShare = Pick<OwnerPage, 'id' | 'name' | 'link' | 'expiration' | 'hasPassword'>

/**
 * Saves a text with the whole link of an encrypted share, which is made in this browser only. It has
 * no title if the share's document can't be opened.
 */
export async function saveRecoveryText(share: RecoverableShare, t: TFunction): Promise<void> {
  const title = share.name ?? (await decryptedContent(share.id).catch(() => null))?.name ?? null
  saveBytes(new Blob([textOf(share, title, t)], { type: 'text/plain;charset=utf-8' }), `recovery-${share.id}.txt`)
}

function textOf({ link, expiration, hasPassword }: RecoverableShare, title: string | null, t: TFunction): string {
  const lines = [
    t('recovery.heading', { name: start.settings?.['general.appName'] ?? '' }),
    '',
    title && t('recovery.title', { title }),
    t('recovery.saved', { time: formatTime(new Date().toISOString()) }),
    !isNever(expiration) && t('upload.expiresAt', { time: formatExpiration(expiration) }),
    '',
    link,
    '',
    t('recovery.text'),
    hasPassword && t('recovery.password'),
    '',
  ]
  return lines.filter((line) => typeof line === 'string').join('\n')
}

import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { EncryptionError } from '../../../../uploader/encryption/error.ts'
import type { DecryptedShare } from '../../../decryption/share.ts'
import { address } from '../../../lib/address.ts'
import { ShownError } from '../../../lib/error-text.ts'
import { useNotify } from '../../../lib/notify.tsx'
import { decryptedShare } from './connection.ts'
import { deletePrivateFiles, saveFile } from './save-file.ts'

const frameLifetime = 60_000 // ms

/**
 * Downloads decrypted files when the visitor clicks on links. `share` is null until it is decrypted.
 * Browsers lead links with `download` past the service worker, but not the navigation of a frame.
 */
export function useDownloads(share: DecryptedShare | null, byServiceWorker: boolean): void {
  const { t } = useTranslation()
  const notify = useNotify()
  useEffect(() => {
    if (!share) return
    if (!byServiceWorker) void deletePrivateFiles()
    const save = async (href: string) => {
      try {
        notify.info(t('encrypted.saving'))
        if (await saveFile(decryptedShare(share.id) ?? share, href)) notify.success(t('encrypted.saved'))
      } catch (error) {
        notify.error(shownError(error))
      }
    }
    const clicked = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[download]') : null
      if (!link?.pathname.startsWith(address('/decrypted/'))) return
      event.preventDefault()
      if (byServiceWorker) downloadInFrame(link.href)
      else void save(link.href)
    }
    document.addEventListener('click', clicked, true)
    return () => document.removeEventListener('click', clicked, true)
  }, [share, byServiceWorker, t, notify])
}

function shownError(error: unknown): ShownError {
  if (error instanceof ShownError) return error
  return new ShownError(error instanceof EncryptionError ? 'encrypted.damagedFile' : 'encrypted.notSaved', {})
}

function downloadInFrame(src: string): void {
  const frame = Object.assign(document.createElement('iframe'), { src, hidden: true })
  document.body.append(frame)
  setTimeout(() => frame.remove(), frameLifetime)
}

import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FileSource } from '../../../uploader/types.ts'
import { useNotify } from '../../lib/notify.tsx'
import { listenForFiles, type TransferredItem } from '../../lib/stray-files.ts'
import { filesIn } from '../../lib/upload/picked-files.ts'

/**
 * Accepts files that are dropped anywhere on the page or pasted while `enabled`, except behind a
 * dialog. Returns whether files are being dragged over the page.
 */
export function useIncomingFiles(enabled: boolean, onFiles: (files: FileSource[]) => void): boolean {
  const { t } = useTranslation()
  const notify = useNotify()
  const [over, setOver] = useState(false)
  const addItems = useEffectEvent(async (items: readonly TransferredItem[]) => {
    const { files, unreadable } = await filesIn(items)
    if (unreadable > 0) notify.warning(t('upload.unreadable', { count: unreadable }))
    if (files.length > 0) onFiles(files)
  })
  const isEnabled = useEffectEvent(() => enabled)
  useEffect(() => {
    const controller = new AbortController()
    const listener = { accepts: () => isEnabled(), onDrag: setOver, onFiles: (items: TransferredItem[]) => void addItems(items) }
    listenForFiles(listener, controller.signal)
    return () => controller.abort()
  }, [])
  return over && enabled
}

import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FileSource } from '../../../uploader/types.ts'
import { useNotify } from '../../lib/notify.tsx'
import { sourceOf } from '../../lib/upload/picked-files.ts'
import { takeReceived } from '../../service-worker/received-files.ts'

/**
 * Returns the files that another app or website has sent to this page, and a function that forgets
 * them.
 * They are not chosen automatically, because any site can send some. Shows a warning if the files
 * are missing.
 */
export function useReceivedFiles(): [received: readonly FileSource[], forget: () => void] {
  const { t } = useTranslation()
  const notify = useNotify()
  const [received, setReceived] = useState<readonly FileSource[]>([])
  const load = useEffectEvent(async () => {
    const files = await takeReceived().catch(() => [])
    if (files.length > 0) setReceived(files.map((file) => sourceOf(file)))
    else notify.warning(t('upload.nothingReceived'))
  })
  useEffect(() => {
    if (!new URLSearchParams(location.search).has('received')) return
    history.replaceState(history.state, '', location.pathname) // a reload must not ask for them again
    void load()
  }, [])
  return [received, () => setReceived([])]
}

import { useEffect, useEffectEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useNotify } from '../../notify.tsx'
import { takeReceived } from '../../service-worker/received-files.ts'
import { sourceOf } from '../../upload/browser/picked-files.ts'
import type { FileSource } from '../../upload/types.ts'

/** Takes what the system's share menu has sent to this page; says so when that is lost. */
export function useReceivedFiles(onFiles: (files: FileSource[]) => void): void {
  const { t } = useTranslation()
  const notify = useNotify()
  const take = useEffectEvent(async () => {
    const files = await takeReceived().catch(() => [])
    if (files.length > 0) onFiles(files.map((file) => sourceOf(file)))
    else notify.warning(t('upload.nothingReceived'))
  })
  useEffect(() => {
    if (!new URLSearchParams(location.search).has('received')) return
    history.replaceState(history.state, '', location.pathname) // a reload does not ask for them again
    void take()
  }, [])
}

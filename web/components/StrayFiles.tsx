import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useNotify } from '../lib/notify.tsx'
import { catchStrayFiles, type TransferredItem } from '../lib/stray-files.ts'

const deliver = () => import('./files/deliver-files.ts')

/** Takes files that are dropped or pasted on any page to the upload page. */
export function StrayFiles() {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const onDrag = useEffectEvent((over: boolean) => {
    const page = document.documentElement
    if (over) void deliver().catch(() => {}) // before the drop, because loading takes time
    if (over) page.dataset.drop = t('upload.dropAnywhere')
    else delete page.dataset.drop
  })
  const onFiles = useEffectEvent(async (items: readonly TransferredItem[]) => {
    try {
      const { deliverFiles } = await deliver()
      await deliverFiles(items, t, notify, queries)
    } catch (error) {
      notify.error(error)
    }
  })
  useEffect(() => {
    const controller = new AbortController()
    catchStrayFiles({ onDrag, onFiles }, controller.signal)
    return () => controller.abort()
  }, [])
  return null
}

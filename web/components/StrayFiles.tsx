import { useEffect, useEffectEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useNotify } from '../lib/notify.tsx'
import { catchStrayFiles } from '../lib/stray-files.ts'

const deliver = () => import('./files/deliver-files.ts')

/** Takes files that are dropped or pasted on any page to the upload page. */
export function StrayFiles() {
  const { t } = useTranslation()
  const notify = useNotify()
  const onDrag = useEffectEvent((over: boolean) => {
    const page = document.documentElement
    if (over) void deliver().catch(() => {}) // before the drop, because loading takes time
    if (over) page.dataset.drop = t('upload.dropAnywhere')
    else delete page.dataset.drop
  })
  const onFiles = useEffectEvent(async (items: Parameters<Parameters<typeof catchStrayFiles>[0]['onFiles']>[0]) => {
    const { deliverFiles } = await deliver()
    await deliverFiles(items, t, notify)
  })
  useEffect(() => {
    const controller = new AbortController()
    catchStrayFiles({ onDrag, onFiles }, controller.signal)
    return () => controller.abort()
  }, [])
  return null
}

import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FileSource } from '../../../uploader/types.ts'
import { useNotify } from '../../lib/notify.tsx'
import { filesIn } from '../../lib/upload/picked-files.ts'

/**
 * Takes files dropped anywhere on the page, and pasted ones. While `enabled` is false they are left alone, except that a drop never makes the
 * browser open the file in place of the page. Answers whether files are being dragged over the page.
 */
export function useIncomingFiles(enabled: boolean, onFiles: (files: FileSource[]) => void): boolean {
  const { t } = useTranslation()
  const notify = useNotify()
  const [over, setOver] = useState(false)

  const take = useEffectEvent(async (transfer: DataTransfer) => {
    const { files, unreadable } = await filesIn(transfer)
    if (unreadable > 0) notify.warning(t('upload.unreadable', { count: unreadable }))
    if (files.length > 0) onFiles(files)
  })
  const isEnabled = useEffectEvent(() => enabled)

  useEffect(() => {
    const { signal, abort } = listening()
    let depth = 0 // enter and leave come for each element on the way
    const show = (change: number) => {
      depth = Math.max(0, depth + change)
      setOver(depth > 0 && isEnabled())
    }
    const ofFiles = (listener: (event: DragEvent) => void) => (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      listener(event)
    }
    addEventListener(
      'dragenter',
      ofFiles(() => show(1)),
      { signal },
    )
    addEventListener(
      'dragleave',
      ofFiles(() => show(-1)),
      { signal },
    )
    addEventListener(
      'dragover',
      ofFiles(({ dataTransfer }) => {
        dataTransfer!.dropEffect = isEnabled() ? 'copy' : 'none'
      }),
      { signal },
    )
    addEventListener(
      'drop',
      ofFiles(({ dataTransfer }) => {
        depth = 0
        setOver(false)
        if (isEnabled()) void take(dataTransfer!)
      }),
      { signal },
    )
    addEventListener(
      'paste',
      ({ clipboardData }) => {
        if (isEnabled() && clipboardData && clipboardData.files.length > 0) void take(clipboardData)
      },
      { signal },
    )
    return abort
  }, [])
  return over && enabled
}

function listening() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

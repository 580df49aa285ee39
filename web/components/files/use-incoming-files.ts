import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FileSource } from '../../../uploader/types.ts'
import { useNotify } from '../../lib/notify.tsx'
import { acceptFiles, itemsOf } from '../../lib/stray-files.ts'
import { filesIn } from '../../lib/upload/picked-files.ts'

/**
 * Accepts files that are dropped anywhere on the page or pasted while `enabled`.
 * A drop never makes the browser navigate to the file. Returns whether files are being dragged over
 * the page.
 */
export function useIncomingFiles(enabled: boolean, onFiles: (files: FileSource[]) => void): boolean {
  const { t } = useTranslation()
  const notify = useNotify()
  const [over, setOver] = useState(false)

  const addFiles = useEffectEvent(async (transfer: DataTransfer) => {
    const { files, unreadable } = await filesIn(itemsOf(transfer))
    if (unreadable > 0) notify.warning(t('upload.unreadable', { count: unreadable }))
    if (files.length > 0) onFiles(files)
  })
  const isEnabled = useEffectEvent(() => enabled)

  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let depth = 0 // dragenter and dragleave are also fired for every child element
    const changeDepth = (step: number) => {
      depth = Math.max(0, depth + step)
      setOver(depth > 0 && isEnabled())
    }
    const ofFiles = (listener: (event: DragEvent) => void) => (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      listener(event)
    }
    addEventListener(
      'dragenter',
      ofFiles(() => changeDepth(1)),
      { signal },
    )
    addEventListener(
      'dragleave',
      ofFiles(() => changeDepth(-1)),
      { signal },
    )
    addEventListener(
      'dragover',
      ofFiles(({ dataTransfer }) => {
        if (dataTransfer) dataTransfer.dropEffect = isEnabled() ? 'copy' : 'none'
      }),
      { signal },
    )
    addEventListener(
      'drop',
      ofFiles(({ dataTransfer }) => {
        depth = 0
        setOver(false)
        if (isEnabled() && dataTransfer) void addFiles(dataTransfer)
      }),
      { signal },
    )
    addEventListener(
      'paste',
      ({ clipboardData }) => {
        if (isEnabled() && clipboardData && clipboardData.files.length > 0) void addFiles(clipboardData)
      },
      { signal },
    )
    const release = acceptFiles()
    return () => {
      release()
      controller.abort()
    }
  }, [])
  return over && enabled
}

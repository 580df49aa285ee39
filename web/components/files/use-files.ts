import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { FileSource } from '../../../uploader/types.ts'
import { formatBytes } from '../../lib/format.ts'
import { type Notify, useNotify } from '../../lib/notify.tsx'
import { withoutPhotoData } from '../../lib/upload/photo-data.ts'
import { settings } from '../../start.ts'
import { append, choose, type Destination, type Uploading } from './upload-session.ts'

/** Returns a function that adds chosen files, and shows how many were chosen already. */
export function useChoose() {
  const { t } = useTranslation()
  const notify = useNotify()
  return (sources: readonly FileSource[], destination: Destination) => warnOfRepeats(t, notify, choose(sources, destination))
}

/** Adds files to an upload that runs, unless the share would become too large. */
export function appendFiles(t: TFunction, notify: Notify, upload: Uploading, sources: readonly FileSource[]): void {
  if (upload.share.cleaned) withoutPhotoData(sources).then((cleaned) => appendReady(t, notify, upload, cleaned), notify.error)
  else appendReady(t, notify, upload, sources)
}

function appendReady(t: TFunction, notify: Notify, upload: Uploading, sources: readonly FileSource[]): void {
  const size = sources.reduce((sum, file) => sum + file.size, upload.uploader.getSnapshot().totalBytes)
  const maxSize = settings['share.maxSize']
  if (size > maxSize) notify.warning(t('upload.tooLarge', { maxSize: formatBytes(maxSize) }))
  else warnOfRepeats(t, notify, append(upload, sources))
}

/** Shows how many files were already in the list; nothing for 0. */
export function warnOfRepeats(t: TFunction, notify: Notify, repeated: number): void {
  if (repeated > 0) notify.info(t('upload.repeated', { count: repeated }))
}

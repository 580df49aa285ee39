import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { FileSource } from '../../../uploader/types.ts'
import { formatBytes } from '../../lib/format.ts'
import { type Notify, useNotify } from '../../lib/notify.tsx'
import { withoutPhotoData } from '../../lib/upload/photo-data.ts'
import { settings } from '../../start.ts'
import { append, choose, type Destination, isAppendable, type Uploading } from './upload-session.ts'

/** Returns a function that adds chosen files as `chooseFiles` does. */
export function useChoose() {
  const { t } = useTranslation()
  const notify = useNotify()
  return (sources: readonly FileSource[], destination: Destination) => chooseFiles(t, notify, sources, destination)
}

/**
 * Adds chosen files, and shows how many were chosen already. While an upload runs, none is added and
 * a notice says so.
 */
export function chooseFiles(t: TFunction, notify: Notify, sources: readonly FileSource[], destination: Destination): void {
  const repeated = choose(sources, destination)
  if (repeated === null) notify.info(t('upload.goesOn'))
  else warnOfRepeats(t, notify, repeated)
}

/**
 * Adds files to an upload that runs, unless the share would become too large. If the upload has
 * ended meanwhile, they are chosen for another share.
 *
 * @throws {ShownError} the data of a photo can't be removed
 */
export async function appendFiles(t: TFunction, notify: Notify, upload: Uploading, sources: readonly FileSource[]): Promise<void> {
  const ready = upload.share.cleaned ? await withoutPhotoData(sources) : sources
  if (isAppendable(upload)) appendReady(t, notify, upload, ready)
  else chooseFiles(t, notify, ready, null)
}

function appendReady(t: TFunction, notify: Notify, upload: Uploading, sources: readonly FileSource[]): void {
  const size = sources.reduce((sum, file) => sum + file.size, upload.uploader.getSnapshot().totalBytes)
  const maxSize = settings['share.maxSize']
  if (size > maxSize) notify.warning(t('upload.tooLarge', { maxSize: formatBytes(maxSize) }))
  else warnOfRepeats(t, notify, append(upload, sources))
}

/** Shows how many files were already in the list; nothing for 0. */
function warnOfRepeats(t: TFunction, notify: Notify, repeated: number): void {
  if (repeated > 0) notify.info(t('upload.repeated', { count: repeated }))
}

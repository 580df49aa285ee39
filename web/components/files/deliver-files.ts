import type { TFunction } from 'i18next'
import { navigate } from 'wouter/use-browser-location'
import type { FileSource } from '../../../uploader/types.ts'
import { mayUpload } from '../../lib/access.ts'
import { address, currentPath } from '../../lib/address.ts'
import { blocksLeaving } from '../../lib/leave-guard.ts'
import type { Notify } from '../../lib/notify.tsx'
import type { TransferredItem } from '../../lib/stray-files.ts'
import { keepFiles } from '../../lib/upload/kept-files.ts'
import { filesIn } from '../../lib/upload/picked-files.ts'
import { choose, currentSession, isAppendable, pathOf, resumeWith } from './upload-session.ts'
import { appendFiles, warnOfRepeats } from './use-files.ts'

/**
 * Takes dropped or pasted files to where they belong: the upload that runs, the choice on the upload
 * page or, for a visitor who may not upload, the sign-in page, after which they are chosen.
 */
export async function deliverFiles(items: readonly TransferredItem[], t: TFunction, notify: Notify): Promise<void> {
  const { files, unreadable } = await filesIn(items)
  if (unreadable > 0) notify.warning(t('upload.unreadable', { count: unreadable }))
  if (files.length === 0) return
  const session = currentSession()
  if (session.phase === 'uploading' && isAppendable(session)) {
    appendFiles(t, notify, session, files)
    open(pathOf(session.share), t, notify)
  } else if (mayUpload()) {
    if (session.phase !== 'resuming' || resumeWith(session.upload, files) === 0) warnOfRepeats(t, notify, choose(files, null))
    open('/upload', t, notify)
  } else {
    await askToSignIn(files, t, notify)
  }
}

function open(path: string, t: TFunction, notify: Notify): void {
  if (blocksLeaving()) notify.info(t('upload.filesWait'))
  else navigate(address(path))
}

async function askToSignIn(files: readonly FileSource[], t: TFunction, notify: Notify): Promise<void> {
  try {
    await keepFiles(files)
    notify.info(t('upload.kept', { count: files.length }))
  } catch {
    notify.warning(t('upload.notKept'))
  }
  if (!currentPath().startsWith('/auth/')) navigate(address('/auth/signIn'))
}

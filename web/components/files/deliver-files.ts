import type { QueryClient } from '@tanstack/react-query'
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
import { creatingShare } from './create-share.ts'
import { currentSession, isActive, isAppendable, pathOf, resumeWith } from './upload-session.ts'
import { appendFiles, chooseFiles } from './use-files.ts'

/**
 * Adds dropped or pasted files to the running upload or to the selection. A visitor who may not
 * upload is asked to sign in first. While a share is being created, no file is added.
 *
 * @throws {ShownError} a photo's data can't be removed, or a file differs from the one to resume
 * @throws {ApiError}
 */
export async function deliverFiles(items: readonly TransferredItem[], t: TFunction, notify: Notify, queries: QueryClient): Promise<void> {
  const { files, unreadable } = await filesIn(items)
  if (unreadable > 0) notify.warning(t('upload.unreadable', { count: unreadable }))
  if (files.length === 0) return
  const session = currentSession()
  if (session.phase === 'uploading' && isAppendable(session)) {
    await appendFiles(t, notify, session, files)
    open(pathOf(session.share), t, notify)
  } else if (isActive(session) || queries.isMutating(creatingShare) > 0) {
    notify.info(t('upload.goesOn'))
  } else if (session.phase === 'resuming' && (await resumeWith(session.upload, files))) {
    open(pathOf(session.upload.share), t, notify)
  } else if (mayUpload()) {
    chooseFiles(t, notify, files, null)
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

import i18next from 'i18next'
import type { JournalShare } from '../../../uploader/journal.ts'
import type { Uploader } from '../../../uploader/uploader.ts'
import { ownTitleOf } from '../share-title.ts'
import { rememberUpload } from './recent-uploads.ts'

/** Adds an upload to the recent uploads of this browser when it completes, if its user has no account. */
export function recordUpload(uploader: Uploader, { id, link, expiration, name = null, ownerId, encrypted }: JournalShare): void {
  if (ownerId !== null) return
  uploader.on('state', async (state) => {
    if (state !== 'completed') return
    const { files } = uploader.getSnapshot()
    const whole = encrypted ? await (await import('../encryption/encrypted-upload.ts')).wholeLinkOf(id, link) : null
    rememberUpload({ id, link: whole ?? link, expiration, title: ownTitleOf({ id, name, files }, i18next.t) })
  })
}

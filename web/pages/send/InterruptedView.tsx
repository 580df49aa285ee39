import { useTranslation } from 'react-i18next'
import type { InterruptedUpload } from '../../../uploader/journal.ts'
import type { FileSource } from '../../../uploader/types.ts'
import { PickButtons } from '../../components/files/PickButtons.tsx'
import { ResumeBanner } from '../../components/files/ResumeBanner.tsx'
import { missingFiles } from '../../components/files/upload-session.ts'
import { useIncomingFiles } from '../../components/files/use-incoming-files.ts'
import { resumeFirst } from '../../components/files/use-interrupted.ts'
import { useNotify } from '../../lib/notify.tsx'

interface Props {
  interrupted: InterruptedUpload[]
  onDiscarded(): void
}

/** Lets the sender resume an interrupted upload through a link that accepts no new uploads. */
export function InterruptedView({ interrupted, onDiscarded }: Props) {
  const { t } = useTranslation()
  const notify = useNotify()
  const addFiles = async (sources: FileSource[]) => {
    try {
      const resumed = await resumeFirst(interrupted, sources)
      if (resumed === false) notify.warning(t('upload.strangers', { count: sources.length }))
    } catch (error) {
      notify.error(error)
    }
  }
  const over = useIncomingFiles(true, addFiles)
  const needsFiles = interrupted.some((upload) => missingFiles(upload, new Map()).length > 0)
  return (
    <div className="narrow stack">
      {interrupted.map((upload) => (
        <ResumeBanner key={upload.share.id} upload={upload} onDiscarded={onDiscarded} />
      ))}
      {needsFiles && (
        <section className={over ? 'dropzone dropzone-over' : 'dropzone'}>
          <h1>{t(over ? 'upload.dropNow' : 'send.interrupted')}</h1>
          <p className="soft">{t('upload.pickMissing')}</p>
          <div className="actions">
            <PickButtons prominent onFiles={addFiles} />
          </div>
        </section>
      )}
    </div>
  )
}

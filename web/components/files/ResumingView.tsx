import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FileSource } from '../../../uploader/types.ts'
import { formatBytes } from '../../lib/format.ts'
import { useNotify } from '../../lib/notify.tsx'
import { FileLabel } from './FileLabel.tsx'
import { FileRows } from './FileRows.tsx'
import { PickButtons } from './PickButtons.tsx'
import { discard, missingFiles, type Resuming, resumeWith, resumeWithout } from './upload-session.ts'
import { useIncomingFiles } from './use-incoming-files.ts'

/** Lists the files of an interrupted upload that the user still has to choose again. */
export function ResumingView({ resuming }: { resuming: Resuming }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const [discarding, setDiscarding] = useState(false)
  const { elsewhere = false } = resuming.upload
  const missing = missingFiles(resuming.upload, resuming.found)
  const addFiles = async (sources: FileSource[]) => {
    try {
      const matched = await resumeWith(resuming.upload, sources)
      const unrelated = sources.length - (matched ?? sources.length)
      if (unrelated > 0) notify.warning(t('upload.strangers', { count: unrelated }))
    } catch (error) {
      notify.error(error)
    }
  }
  const over = useIncomingFiles(!discarding, addFiles)
  const discardUpload = () => {
    setDiscarding(true)
    void discard(resuming.upload)
  }
  return (
    <div className="narrow stack">
      <section className={over ? 'card chosen stack chosen-over' : 'card chosen stack'}>
        <header className="chosen-head">
          <h1>{missing.length > 0 ? t('upload.stillMissing', { count: missing.length }) : t('upload.noneMissing')}</h1>
          <p className="soft">{t(elsewhere ? 'upload.pickElsewhere' : 'upload.pickMissing')}</p>
        </header>
        <FileRows label={t('upload.files')} items={missing} keyOf={(file) => resuming.upload.files.indexOf(file)}>
          {({ name, size }) => <FileLabel name={name} note={formatBytes(size)} />}
        </FileRows>
        {resuming.added.length > 0 && <p role="status">{t('upload.alsoAdded', { count: resuming.added.length })}</p>}
        <footer className="chosen-foot spread toolbar">
          <div className="actions">
            <PickButtons prominent onFiles={addFiles} />
          </div>
          <div className="actions">
            <Button type="text" danger loading={discarding} onClick={discardUpload}>
              {t('upload.discard')}
            </Button>
            <Button type={missing.length === 0 ? 'primary' : 'default'} disabled={discarding} onClick={() => resumeWithout(resuming)}>
              {t(missing.length === 0 ? 'upload.resume' : 'upload.withoutMissing')}
            </Button>
          </div>
        </footer>
      </section>
    </div>
  )
}

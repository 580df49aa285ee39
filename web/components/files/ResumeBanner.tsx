import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { InterruptedUpload } from '../../../uploader/journal.ts'
import { Icon } from '../Icon.tsx'
import { discard, missingFiles, resumeWithout } from './upload-session.ts'

const named = 3

/** Offers to go on with an upload that was cut off. Picking its files anywhere on the page resumes it. */
export function ResumeBanner({ upload, onDiscarded }: { upload: InterruptedUpload; onDiscarded(): void }) {
  const { t } = useTranslation()
  const [discarding, setDiscarding] = useState(false)
  const missing = missingFiles(upload, new Map())
  const give = async () => {
    setDiscarding(true)
    await discard(upload)
    onDiscarded()
  }
  return (
    <aside className="notice resume" aria-label={t('upload.interrupted')}>
      <Icon name="clock" />
      <div>
        <strong>{t(missing.length === 0 ? 'upload.interruptedAtEnd' : 'upload.interrupted')}</strong>
        <p className="resume-files">
          {missing
            .slice(0, named)
            .map(({ name }) => showInvisible(name))
            .join(', ')}
          {missing.length > named && ` ${t('upload.andMore', { count: missing.length - named })}`}
        </p>
      </div>
      {missing.length === 0 && (
        <Button type="primary" onClick={() => resumeWithout({ phase: 'resuming', upload, found: new Map() })}>
          {t('upload.resume')}
        </Button>
      )}
      <Button onClick={give} loading={discarding}>
        {t('upload.discard')}
      </Button>
    </aside>
  )
}

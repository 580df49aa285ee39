import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { InterruptedUpload } from '../../../uploader/journal.ts'
import { Icon } from '../Icon.tsx'
import { discard, missingFiles, resumeWithout } from './upload-session.ts'

const namedFiles = 3

/**
 * Offers to resume or discard an interrupted upload. Choosing its files anywhere on the page also
 * resumes it.
 */
export function ResumeBanner({ upload, onDiscarded }: { upload: InterruptedUpload; onDiscarded(): void }) {
  const { t } = useTranslation()
  const [discarding, setDiscarding] = useState(false)
  const missing = missingFiles(upload, new Map())
  const discardUpload = async () => {
    setDiscarding(true)
    await discard(upload)
    onDiscarded()
  }
  return (
    <aside className="notice resume" aria-label={t('upload.interrupted')}>
      <Icon name="clock" />
      <div>
        <strong>{t(missing.length === 0 ? 'upload.interruptedAtEnd' : 'upload.interrupted')}</strong>
        <p>
          {missing
            .slice(0, namedFiles)
            .map(({ name }) => showInvisible(name))
            .join(', ')}
          {missing.length > namedFiles && ` ${t('upload.andMore', { count: missing.length - namedFiles })}`}
        </p>
      </div>
      {missing.length === 0 && (
        <Button type="primary" onClick={() => resumeWithout({ upload, found: new Map(), added: [] })}>
          {t('upload.resume')}
        </Button>
      )}
      <Button onClick={discardUpload} loading={discarding}>
        {t('upload.discard')}
      </Button>
    </aside>
  )
}

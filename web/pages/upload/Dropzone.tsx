import { useTranslation } from 'react-i18next'
import { Razorbill } from '../../components/Razorbill.tsx'
import { formatBytes } from '../../format.ts'
import { settings } from '../../start.ts'
import type { FileSource } from '../../upload/types.ts'
import { PickButtons } from './PickButtons.tsx'

/** The page while nothing is chosen: all of it takes files. */
export function Dropzone({ over, onFiles }: { over: boolean; onFiles(files: FileSource[]): void }) {
  const { t } = useTranslation()
  return (
    <section className={over ? 'dropzone dropzone-over' : 'dropzone'}>
      <Razorbill className="dropzone-picture" files={over ? 4 : 2} />
      <h1>{t(over ? 'upload.dropNow' : 'upload.title')}</h1>
      <p className="soft">{t('upload.hint')}</p>
      <div className="actions">
        <PickButtons prominent onFiles={onFiles} />
      </div>
      <p className="soft dropzone-limit">{t('upload.limit', { maxSize: formatBytes(settings['share.maxSize']) })}</p>
    </section>
  )
}

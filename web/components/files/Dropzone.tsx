import { useTranslation } from 'react-i18next'
import type { FileSource } from '../../../uploader/types.ts'
import { formatBytes } from '../../lib/format.ts'
import { Razorbill } from '../Razorbill.tsx'
import { PickButtons } from './PickButtons.tsx'

interface Props {
  over: boolean
  /** How large the heading is. */
  heading?: 'h1' | 'h2'
  /** Bytes of all files together. */
  maxSize: number
  /** Types that the pickers offer, as in the attribute `accept`. */
  accept?: string
  onFiles(files: FileSource[]): void
}

/** The page while nothing is chosen: all of it takes files. */
export function Dropzone({ over, heading: Heading = 'h1', maxSize, accept, onFiles }: Props) {
  const { t } = useTranslation()
  return (
    <section className={over ? 'dropzone dropzone-over' : 'dropzone'}>
      <Razorbill className="dropzone-picture" files={over ? 4 : 2} />
      <Heading>{t(over ? 'upload.dropNow' : 'upload.title')}</Heading>
      <p className="soft dropzone-hint">{t('upload.hint')}</p>
      <div className="actions">
        <PickButtons prominent accept={accept} onFiles={onFiles} />
      </div>
      <p className="soft dropzone-limit">{t('upload.limit', { maxSize: formatBytes(maxSize) })}</p>
    </section>
  )
}

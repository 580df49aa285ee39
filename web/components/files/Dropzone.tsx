import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { FileSource } from '../../../uploader/types.ts'
import { formatBytes } from '../../lib/format.ts'
import { Razorbill } from '../Razorbill.tsx'
import { canDrop } from './can-drop.ts'
import { PickButtons } from './PickButtons.tsx'

interface Props {
  over: boolean
  /** The heading on a device that can't drop files. Default: an invitation to share. */
  touchTitle?: string
  /** Level of the heading. */
  heading?: 'h1' | 'h2'
  /** Limit for all files together, in bytes. */
  maxSize: number
  /** File types that the pickers offer, in the format of the attribute `accept`. */
  accept?: string
  /** Another way to begin, below the buttons. */
  children?: ReactNode
  onFiles(files: FileSource[]): void
}

/** Invites the user to choose files. Files can be dropped anywhere on the page. */
export function Dropzone({ over, touchTitle, heading: Heading = 'h1', maxSize, accept, children, onFiles }: Props) {
  const { t } = useTranslation()
  return (
    <section className={over ? 'dropzone dropzone-over' : 'dropzone'}>
      <Razorbill className="dropzone-picture" files={over ? 4 : 2} />
      <Heading>{over ? t('upload.dropNow') : canDrop ? t('upload.title') : (touchTitle ?? t('upload.titleTouch'))}</Heading>
      <p className="soft dropzone-hint">{t('upload.hint')}</p>
      <div className="actions">
        <PickButtons prominent accept={accept} onFiles={onFiles} />
      </div>
      {children && <div className="dropzone-other">{children}</div>}
      <p className="soft small">{t('upload.limit', { maxSize: formatBytes(maxSize) })}</p>
    </section>
  )
}

import { Modal } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../../src/invisible-characters.ts'
import type { SharedFile } from '../../../../src/shares/contract.ts'
import { Icon } from '../../../components/Icon.tsx'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import { fileAddress } from '../../../lib/share-addresses.ts'
import { Preview } from './Preview.tsx'
import './preview.css'

interface Props {
  open: boolean
  shareId: string
  /** What the arrow keys lead through. */
  files: SharedFile[]
  first: SharedFile
  onClose(): void
}

/** Dialog that previews files one after another. */
export function PreviewDialog({ open, shareId, files, first, onClose }: Props) {
  const { t } = useTranslation()
  const [index, setIndex] = useState(() =>
    Math.max(
      0,
      files.findIndex(({ id }) => id === first.id),
    ),
  )
  const file = files[index] ?? first
  const name = showInvisible(file.name.slice(file.name.lastIndexOf('/') + 1))
  const step = (offset: number) => setIndex((current) => Math.min(files.length - 1, Math.max(0, current + offset)))
  useArrowKeys(open, step)

  const title = (
    <span className="preview-title toolbar">
      <bdi>{name}</bdi>
      <span className="soft">{formatBytes(Number(file.size))}</span>
    </span>
  )
  return (
    <Modal
      open={open}
      destroyOnHidden
      title={title}
      footer={null}
      width="min(1100px, 96vw)"
      centered
      onCancel={onClose}
      closable={{ 'aria-label': t('common.close') }}
    >
      <div className="preview-stage">
        <Preview key={file.id} shareId={shareId} file={file} />
      </div>
      <div className="preview-bar line">
        <button type="button" className="icon-button" aria-label={t('preview.previous')} disabled={index === 0} onClick={() => step(-1)}>
          <Icon name="back" />
        </button>
        <span className="soft" role="status">
          {t('preview.position', { index: formatNumber(index + 1), count: formatNumber(files.length) })}
        </span>
        <button
          type="button"
          className="icon-button flipped"
          aria-label={t('preview.next')}
          disabled={index >= files.length - 1}
          onClick={() => step(1)}
        >
          <Icon name="back" />
        </button>
        <a className="preview-download line" href={fileAddress(shareId, file.id)} download>
          <Icon name="download" /> {t('share.download')}
        </a>
      </div>
    </Modal>
  )
}

/**
 * Calls `step` for the arrow keys in reading direction, except in elements that use these keys
 * themselves.
 */
function useArrowKeys(open: boolean, step: (offset: number) => void): void {
  useEffect(() => {
    if (!open) return
    const forward = document.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
    const handleKey = (event: KeyboardEvent) => {
      const isUsed = event.altKey || event.ctrlKey || event.metaKey || (event.target as Element).closest('video, audio, input, pre')
      if (!isUsed && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) step(event.key === forward ? 1 : -1)
    }
    addEventListener('keydown', handleKey)
    return () => removeEventListener('keydown', handleKey)
  })
}

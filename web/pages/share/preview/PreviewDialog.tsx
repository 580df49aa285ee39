import { Modal } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../../src/invisible-characters.ts'
import { Icon } from '../../../components/Icon.tsx'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import { fileAddress } from '../../../lib/share-addresses.ts'
import type { SharedFile } from '../folders.ts'
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

/** Shows files one after another in front of the page. */
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
  const go = (steps: number) => setIndex((at) => Math.min(files.length - 1, Math.max(0, at + steps)))
  useArrowKeys(open, go)

  const title = (
    <span className="preview-title">
      <bdi>{name}</bdi>
      <span className="soft">{formatBytes(Number(file.size))}</span>
    </span>
  )
  return (
    <Modal
      open={open}
      destroyOnHidden
      className="preview"
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
      <div className="preview-bar">
        <button type="button" className="icon-button" aria-label={t('preview.previous')} disabled={index === 0} onClick={() => go(-1)}>
          <Icon name="back" />
        </button>
        <span className="soft" role="status">
          {t('preview.position', { index: formatNumber(index + 1), count: formatNumber(files.length) })}
        </span>
        <button
          type="button"
          className="icon-button preview-next"
          aria-label={t('preview.next')}
          disabled={index >= files.length - 1}
          onClick={() => go(1)}
        >
          <Icon name="back" />
        </button>
        <a className="preview-download" href={fileAddress(shareId, file.id)} download>
          <Icon name="download" /> {t('share.download')}
        </a>
      </div>
    </Modal>
  )
}

/** Left and right, as the page reads, but not where they move something else: in a player, or in a text. */
function useArrowKeys(open: boolean, go: (steps: number) => void): void {
  useEffect(() => {
    if (!open) return
    const forward = document.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
    const move = (event: KeyboardEvent) => {
      const taken = event.altKey || event.ctrlKey || event.metaKey || (event.target as Element).closest('video, audio, input, pre')
      if (!taken && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) go(event.key === forward ? 1 : -1)
    }
    addEventListener('keydown', move)
    return () => removeEventListener('keydown', move)
  })
}

import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../../src/invisible-characters.ts'
import type { SharedFile } from '../../../../src/shares/contract.ts'
import { Icon } from '../../../components/Icon.tsx'
import { kindOf } from '../../../lib/file-kinds.ts'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import { picturesOf } from '../../../lib/pictures.ts'
import { fileAddress } from '../../../lib/share-addresses.ts'
import { CopyLink } from './CopyLink.tsx'
import { FileView } from './FileView.tsx'
import { useViewerKeys } from './use-viewer-keys.ts'
import './viewer.css'

interface Props {
  shareId: string
  /** What the arrows lead through. */
  files: SharedFile[]
  file: SharedFile
  onStep(file: SharedFile): void
  onClose(): void
  onShowLink(fileId: string, name: string): void
}

/** Shows files one after another on the whole screen. */
export function Viewer({ shareId, files, file, onStep, onClose, onShowLink }: Props) {
  const { t } = useTranslation()
  const dialog = useModal()
  const screen = useRef<HTMLDivElement>(null)
  const index = files.findIndex(({ id }) => id === file.id)
  const step = (offset: number) => {
    const next = files[index + offset]
    if (next) onStep(next)
  }
  const toggleFullscreen = () =>
    void (document.fullscreenElement ? document.exitFullscreen() : screen.current?.requestFullscreen?.())?.catch(() => {})
  useViewerKeys({ step, toggleFullscreen })
  useNeighbors(shareId, [files[index + 1], files[index - 1]])
  const showLink = () => {
    onClose()
    onShowLink(file.id, file.name)
  }
  const name = showInvisible(file.name.slice(file.name.lastIndexOf('/') + 1))

  return (
    <dialog
      ref={dialog}
      className="viewer"
      data-theme="dark"
      aria-label={name}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div ref={screen} className="viewer-screen">
        <header className="viewer-bar line">
          <button type="button" className="icon-button" aria-label={t('common.close')} title={t('common.close')} onClick={onClose}>
            <Icon name="close" />
          </button>
          <h2 className="viewer-title words">
            <bdi>{name}</bdi>
          </h2>
          <span className="viewer-facts small soft" role="status">
            {files.length > 1 && t('preview.position', { index: formatNumber(index + 1), count: formatNumber(files.length) })}
            <span>{formatBytes(Number(file.size))}</span>
          </span>
          <CopyLink shareId={shareId} fileId={file.id} name={name} onFail={showLink} />
          {document.fullscreenEnabled && (
            <button
              type="button"
              className="icon-button viewer-expand"
              aria-label={t('preview.fullScreen')}
              title={t('preview.fullScreen')}
              onClick={toggleFullscreen}
            >
              <Icon name="expand" />
            </button>
          )}
          <a
            className="icon-button"
            href={fileAddress(shareId, file.id)}
            download
            aria-label={t('share.downloadOf', { name })}
            title={t('share.download')}
          >
            <Icon name="download" />
          </a>
        </header>
        <div className="viewer-stage" tabIndex={-1}>
          <FileView key={file.id} shareId={shareId} file={file} onStep={step} onClose={onClose} />
          <Arrow label={t('preview.previous')} isOff={index <= 0} onClick={() => step(-1)} />
          <Arrow label={t('preview.next')} isOff={index >= files.length - 1} isNext onClick={() => step(1)} />
        </div>
      </div>
    </dialog>
  )
}

interface ArrowProps {
  label: string
  isOff: boolean
  isNext?: boolean
  onClick(): void
}

/** An arrow at the edge. It stays where it is, so that repeated clicks go through the files. */
function Arrow({ label, isOff, isNext = false, onClick }: ArrowProps) {
  const place = isNext ? 'viewer-arrow-next flipped' : 'viewer-arrow-previous'
  return (
    <button type="button" className={`viewer-arrow ${place}`} aria-label={label} title={label} aria-disabled={isOff} onClick={onClick}>
      <Icon name="back" size={22} />
    </button>
  )
}

/** Opens a dialog over the page, and gives the focus back when it closes. */
function useModal() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const { current } = dialog
    const before = document.activeElement
    current?.showModal()
    current?.querySelector<HTMLElement>('.viewer-stage')?.focus()
    return () => {
      current?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return dialog
}

/** Loads the pictures before and after, so that a step shows them at once. */
function useNeighbors(shareId: string, neighbors: (SharedFile | undefined)[]): void {
  const addresses = neighbors.flatMap((file) => {
    const isPicture = file && (file.preview || kindOf(file.name) === 'image')
    return isPicture ? picturesOf(shareId, file).fitting : []
  })
  const list = addresses.join(' ')
  useEffect(() => {
    for (const address of list.split(' ').filter(Boolean)) Object.assign(new Image(), { fetchPriority: 'low', src: address })
  }, [list])
}

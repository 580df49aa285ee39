import { Button } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { FileSource } from '../../../uploader/types.ts'
import { formatBytes } from '../../lib/format.ts'
import { hasPhotoData } from '../../lib/upload/photo-data.ts'
import { Icon } from '../Icon.tsx'
import { useIsCreating } from './create-share.ts'
import { FileLabel } from './FileLabel.tsx'
import { FileRows } from './FileRows.tsx'
import { PhotoDataSwitch } from './PhotoDataSwitch.tsx'
import { PickButtons } from './PickButtons.tsx'
import { type PickedFile, startOver, unchoose } from './upload-session.ts'

interface Props {
  files: readonly PickedFile[]
  over: boolean
  /** Level of the heading. */
  heading?: 'h1' | 'h2'
  /** Limit for all files together, in bytes. */
  maxSize: number
  /** File types that the picker offers, in the format of the attribute `accept`. */
  accept?: string
  onFiles(files: FileSource[]): void
}

/** Lists the chosen files. The user can add and remove files until the share is being created. */
export function ChosenFiles({ files, over, heading: Heading = 'h1', maxSize, accept, onFiles }: Props) {
  const { t } = useTranslation()
  const creating = useIsCreating()
  const list = useRef<HTMLDivElement>(null)
  const size = sizeOf(files)
  const tooLarge = isTooLarge(files, maxSize)
  const remove = ({ key }: PickedFile, button: HTMLElement) => {
    const index = removeButtons(list.current).indexOf(button)
    unchoose(key)
    requestAnimationFrame(() => focusNear(list.current, index))
  }
  return (
    <section className={over ? 'card chosen stack chosen-over' : 'card chosen stack'} ref={list} inert={creating}>
      <header className="chosen-head">
        <Heading>{t('upload.chosen', { count: files.length })}</Heading>
        <p className="soft" role="status">
          {t('upload.total', { size: formatBytes(size) })}
        </p>
        <Button type="text" onClick={startOver}>
          {t('upload.clear')}
        </Button>
      </header>
      <FileRows label={t('upload.files')} items={files} keyOf={({ key }) => key}>
        {(file) => (
          <>
            <FileLabel name={file.source.name} note={formatBytes(file.source.size)} />
            <button
              type="button"
              className="icon-button icon-button-danger"
              aria-label={t('upload.remove', { name: showInvisible(file.source.name) })}
              onClick={({ currentTarget }) => remove(file, currentTarget)}
            >
              <Icon name="close" />
            </button>
          </>
        )}
      </FileRows>
      {tooLarge && (
        <p className="notice notice-danger" role="alert">
          <Icon name="info" />
          {t('upload.tooLarge', { maxSize: formatBytes(maxSize) })}
        </p>
      )}
      {files.some(({ source }) => hasPhotoData(source)) && <PhotoDataSwitch />}
      <div className="chosen-foot actions">
        <PickButtons accept={accept} onFiles={onFiles} />
      </div>
    </section>
  )
}

const sizeOf = (files: readonly PickedFile[]) => files.reduce((sum, { source }) => sum + source.size, 0)

/** Returns whether files are larger than a share may be. */
export function isTooLarge(files: readonly PickedFile[], maxSize: number): boolean {
  return sizeOf(files) > maxSize
}

const removeButtons = (list: HTMLElement | null) => [...(list?.querySelectorAll<HTMLElement>('.icon-button-danger') ?? [])]

/** Keeps the keyboard focus at the same position after a row was removed. */
function focusNear(list: HTMLElement | null, index: number): void {
  const buttons = removeButtons(list)
  const next = buttons[Math.min(index, buttons.length - 1)] ?? document.querySelector<HTMLElement>('.pick-files')
  next?.focus({ preventScroll: true })
}

import { Button } from 'antd'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { FileSource } from '../../../uploader/types.ts'
import { formatBytes } from '../../lib/format.ts'
import { Icon } from '../Icon.tsx'
import { FileLabel } from './FileLabel.tsx'
import { FileRows } from './FileRows.tsx'
import { PickButtons } from './PickButtons.tsx'
import { type PickedFile, startOver, unchoose } from './upload-session.ts'

interface Props {
  files: readonly PickedFile[]
  over: boolean
  /** How large the heading is. */
  heading?: 'h1' | 'h2'
  /** Bytes of all files together. */
  maxSize: number
  /** Types that the picker offers, as in the attribute `accept`. */
  accept?: string
  /** What the button says that goes on. */
  next: string
  /** Going on takes a moment. */
  busy?: boolean
  /** What else is to be said before going on. */
  children?: ReactNode
  onFiles(files: FileSource[]): void
  onContinue(): void
}

/** What was chosen so far, to add to, to take from, and to go on with. */
export function ChosenFiles(props: Props) {
  const { files, over, heading: Heading = 'h1', maxSize, accept, next, busy, children, onFiles, onContinue } = props
  const { t } = useTranslation()
  const list = useRef<HTMLDivElement>(null)
  const size = files.reduce((sum, { source }) => sum + source.size, 0)
  const tooLarge = size > maxSize
  const remove = ({ key }: PickedFile, button: HTMLElement) => {
    const place = removeButtons(list.current!).indexOf(button)
    unchoose(key)
    requestAnimationFrame(() => focusNear(list.current, place))
  }
  return (
    <section className={over ? 'card chosen chosen-over' : 'card chosen'} ref={list}>
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
              className="icon-button icon-button-danger row-remove"
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
      {children}
      <footer className="chosen-foot">
        <div className="actions">
          <PickButtons accept={accept} onFiles={onFiles} />
        </div>
        <Button type="primary" size="large" disabled={tooLarge} loading={busy} onClick={onContinue}>
          {next}
        </Button>
      </footer>
    </section>
  )
}

const removeButtons = (list: HTMLElement) => [...list.querySelectorAll<HTMLElement>('.row-remove')]

/** The keyboard stays where it was when a row goes. */
function focusNear(list: HTMLElement | null, place: number): void {
  const buttons = list ? removeButtons(list) : []
  const next = buttons[Math.min(place, buttons.length - 1)] ?? document.querySelector<HTMLElement>('.pick-files')
  next?.focus({ preventScroll: true })
}

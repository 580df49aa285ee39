import { Button } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/Icon.tsx'
import { formatBytes } from '../../format.ts'
import { settings } from '../../start.ts'
import type { FileSource } from '../../upload/types.ts'
import { FileLabel } from './FileLabel.tsx'
import { FileRows } from './FileRows.tsx'
import { PickButtons } from './PickButtons.tsx'
import { type PickedFile, startOver, unchoose } from './session.ts'

interface Props {
  files: readonly PickedFile[]
  over: boolean
  onFiles(files: FileSource[]): void
  onContinue(): void
}

/** What was chosen so far, to add to, to take from, and to go on with. */
export function ChosenFiles({ files, over, onFiles, onContinue }: Props) {
  const { t } = useTranslation()
  const list = useRef<HTMLDivElement>(null)
  const size = files.reduce((sum, { source }) => sum + source.size, 0)
  const tooLarge = size > settings['share.maxSize']
  const remove = ({ key }: PickedFile, button: HTMLElement) => {
    const place = removeButtons(list.current!).indexOf(button)
    unchoose(key)
    requestAnimationFrame(() => focusNear(list.current, place))
  }
  return (
    <section className={over ? 'card chosen chosen-over' : 'card chosen'} ref={list}>
      <header className="chosen-head">
        <h1>{t('upload.chosen', { count: files.length })}</h1>
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
              aria-label={t('upload.remove', { name: file.source.name })}
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
          {t('upload.tooLarge', { maxSize: formatBytes(settings['share.maxSize']) })}
        </p>
      )}
      <footer className="chosen-foot">
        <div className="actions">
          <PickButtons onFiles={onFiles} />
        </div>
        <Button type="primary" size="large" disabled={tooLarge} onClick={onContinue}>
          {t('upload.continue')}
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

import { Button } from 'antd'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsCreating } from '../../components/files/create-share.ts'
import { SendScreen } from '../../components/share-form/SendScreen.tsx'
import { formatBytes } from '../../lib/format.ts'
import { sourceOf } from '../../lib/upload/picked-files.ts'
import { forgetDraft } from '../../lib/upload/text-draft.ts'
import { settings } from '../../start.ts'
import { NewShareForm } from './lazy-form.ts'
import './text-view.css'

const fileName = 'text.txt'

interface Props {
  text: string
  /** null discards the text. */
  onChange(text: string | null): void
}

/** The stage in which the user writes or pastes a text or a link. It needs no file name. */
export function TextView({ text, onChange }: Props) {
  const { t } = useTranslation()
  const creating = useIsCreating()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  const size = new Blob([text]).size
  const createFile = () => [sourceOf(new File([text], fileName, { type: 'text/plain' }))]
  const content = (
    <section className="card chosen stack" inert={creating}>
      <header className="chosen-head">
        <h1>
          <label htmlFor="shared-text">{t('upload.textTitle')}</label>
        </h1>
        <p className="soft">{formatBytes(size)}</p>
        <Button type="text" onClick={() => onChange(null)}>
          {t('upload.discard')}
        </Button>
      </header>
      <textarea
        ref={field}
        id="shared-text"
        className="shared-text field"
        dir="auto"
        spellCheck={false}
        value={text}
        placeholder={t('upload.textHint')}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </section>
  )
  return (
    <SendScreen content={content}>
      <NewShareForm
        kind="text"
        sources={createFile}
        disabled={text.trim() === '' || size > settings['share.maxSize']}
        onCreated={forgetDraft}
      />
    </SendScreen>
  )
}

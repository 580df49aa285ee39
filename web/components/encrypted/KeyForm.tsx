import { Button, Input } from 'antd'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Bytes } from '../../../uploader/encryption/bytes.ts'
import { linkKeyIn } from '../../../uploader/encryption/link-key.ts'
import { Razorbill } from '../Razorbill.tsx'
import '../unlock-form.css'

interface Props {
  /** Says what is missing and where to find it. */
  text: string
  /** Why the present key does not open the share; null: there is none. */
  problem: string | null
  onKey(linkKey: Bytes): void
}

/** Asks for the key of an encrypted share, or its whole link. */
export function KeyForm({ text: explanation, problem, onKey }: Props) {
  const { t } = useTranslation()
  const field = useId()
  const [text, setText] = useState('')
  const [inputProblem, setInputProblem] = useState<string | null>(null)
  const failure = inputProblem ?? problem
  const submit = (event: FormEvent) => {
    event.preventDefault()
    try {
      const linkKey = linkKeyIn(text)
      if (linkKey) onKey(linkKey)
      else setInputProblem(t('encrypted.noKey'))
    } catch {
      setInputProblem(t('encrypted.link_key_invalid'))
    }
  }
  return (
    <section className="unlock stack perch card">
      <Razorbill className="perch-picture" files={1} asleep />
      <h1>{t('encrypted.keyTitle')}</h1>
      {problem === null && <p className="soft">{explanation}</p>}
      <form onSubmit={submit}>
        <label htmlFor={field}>{t('encrypted.keyField')}</label>
        <Input
          id={field}
          size="large"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={text}
          status={failure ? 'error' : undefined}
          aria-invalid={failure !== null}
          aria-describedby={`${field}-error`}
          onChange={(event) => setText(event.target.value)}
        />
        <p id={`${field}-error`} className="unlock-error" role="alert">
          {failure}
        </p>
        <Button type="primary" size="large" htmlType="submit" block>
          {t('unlock.open')}
        </Button>
      </form>
    </section>
  )
}

import { useMutation } from '@tanstack/react-query'
import { Button, Input } from 'antd'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../lib/error-text.ts'
import { Razorbill } from './Razorbill.tsx'
import './unlock-form.css'

interface Props {
  title: string
  text: string
  /** Checks the password. The text of a thrown error is shown below the field. */
  onPassword(password: string): Promise<unknown>
}

/** Asks for the password of a page. */
export function UnlockForm({ title, text, onPassword }: Props) {
  const { t } = useTranslation()
  const field = useId()
  const [password, setPassword] = useState('')
  const unlock = useMutation({ mutationFn: () => onPassword(password) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (password !== '') unlock.mutate()
  }
  return (
    <section className="unlock stack perch card">
      <Razorbill className="perch-picture" files={1} asleep />
      <h1>{title}</h1>
      <p className="soft">{text}</p>
      <form onSubmit={submit}>
        <label htmlFor={field}>{t('auth.password')}</label>
        <Input.Password
          id={field}
          size="large"
          autoComplete="off"
          autoFocus
          value={password}
          status={unlock.isError ? 'error' : undefined}
          aria-invalid={unlock.isError}
          aria-describedby={`${field}-error`}
          onChange={(event) => setPassword(event.target.value)}
        />
        <p id={`${field}-error`} className="unlock-error" role="alert">
          {unlock.isError && errorText(t, unlock.error)}
        </p>
        <Button type="primary" size="large" htmlType="submit" block loading={unlock.isPending}>
          {t('unlock.open')}
        </Button>
      </form>
    </section>
  )
}

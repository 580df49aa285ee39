import { useMutation } from '@tanstack/react-query'
import { Button, Input } from 'antd'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { codeLength } from '../../../../src/downloads/codes/limits.ts'
import { ApiError, api } from '../../../api.ts'
import { errorText, ShownError } from '../../../lib/error-text.ts'
import { digitsIn } from './digits.ts'

interface Props {
  id: string
  onVerified(): Promise<unknown>
}

/** The field for a code, which is checked as soon as it is complete. */
export function CodeField({ id, onVerified }: Props) {
  const { t } = useTranslation()
  const field = useId()
  const [code, setCode] = useState('')
  const verify = useMutation({
    mutationFn: async (code: string) => {
      if (code.length < codeLength) throw new ShownError('rule.totp', {})
      await api('POST /api/shares/:id/code/verify', { params: { id }, body: { code } })
      await onVerified()
    },
  })
  const change = (text: string) => {
    const digits = digitsIn(text).slice(0, codeLength)
    setCode(digits)
    if (digits === code) return
    if (digits.length === codeLength) verify.mutate(digits)
    else verify.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isWrongCode(verify.error)) verify.mutate(code) // the same code would use up another try
  }
  return (
    <form onSubmit={submit}>
      <label htmlFor={field}>{t('code.label')}</label>
      <Input
        id={field}
        className="code-digits"
        size="large"
        dir="ltr"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        value={code}
        readOnly={verify.isPending}
        status={verify.isError ? 'error' : undefined}
        aria-invalid={verify.isError}
        aria-describedby={`${field}-error`}
        onChange={(event) => change(event.target.value)}
      />
      <p id={`${field}-error`} className="unlock-error" role="alert">
        {verify.isError && problemOf(verify.error)}
      </p>
      <Button type="primary" size="large" htmlType="submit" block loading={verify.isPending}>
        {t('code.confirm')}
      </Button>
    </form>
  )

  function problemOf(error: Error): string {
    if (!isWrongCode(error)) return errorText(t, error)
    const count = Number(error.details.triesLeft)
    return count > 0 ? `${errorText(t, error)} ${t('code.triesLeft', { count })}` : t('error.code_expired')
  }
}

function isWrongCode(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'wrong_code'
}

import { useMutation } from '@tanstack/react-query'
import { Button, Input } from 'antd'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, api } from '../../../api.ts'
import { Icon } from '../../../components/Icon.tsx'
import { errorText } from '../../../lib/error-text.ts'
import { start } from '../../../start.ts'

interface Props {
  /** Whether email is turned on in the saved settings. */
  enabled: boolean
  unsaved: boolean
}

/** Sends a test email with the saved settings. A failure shows the mail server's own message. */
export function TestEmail({ enabled, unsaved }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const [email, setEmail] = useState(start.user?.email ?? '')
  const test = useMutation({ mutationFn: (to: string) => api('POST /api/configs/admin/testEmail', { body: { email: to } }) })
  const canTest = enabled && !unsaved
  const submit = (event: FormEvent) => {
    event.preventDefault()
    test.mutate(email.trim())
  }
  return (
    <section className="setting-group" aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{t('config.test.title')}</h3>
      <form className="card test-email stack" onSubmit={submit}>
        {!canTest ? (
          <p className="soft">{t(unsaved ? 'config.test.unsaved' : 'config.test.off')}</p>
        ) : (
          <>
            <label htmlFor={id}>{t('config.test.to')}</label>
            <div className="field-row">
              <Input id={id} type="email" required autoComplete="off" value={email} onChange={(event) => setEmail(event.target.value)} />
              <Button htmlType="submit" loading={test.isPending}>
                {t('config.test.send')}
              </Button>
            </div>
          </>
        )}
        <div role="status">
          {canTest && test.isSuccess && (
            <p className="notice">
              <Icon name="check" />
              <span>{t('config.test.sent', { email: test.variables })}</span>
            </p>
          )}
        </div>
        <div role="alert">{canTest && test.isError && <Failure error={test.error} />}</div>
      </form>
    </section>
  )
}

function Failure({ error }: { error: unknown }) {
  const { t } = useTranslation()
  const reason = error instanceof ApiError && error.code === 'smtp_failed' ? String(error.details.reason ?? '') : ''
  return (
    <div className="notice notice-danger">
      <Icon name="info" />
      {reason ? (
        <div>
          <p>{t('config.test.failed')}</p>
          <samp dir="auto">{reason}</samp>
        </div>
      ) : (
        <span>{errorText(t, error)}</span>
      )}
    </div>
  )
}

import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { codeInterval } from '../../../../src/downloads/codes/limits.ts'
import { ApiError, api } from '../../../api.ts'
import { Razorbill } from '../../../components/Razorbill.tsx'
import { errorText } from '../../../lib/error-text.ts'
import { CodeField } from './CodeField.tsx'
import { useCountdown } from './use-countdown.ts'
import '../../../components/unlock-form.css'
import './code.css'

interface Props {
  id: string
  /** Loads the share after its recipient has confirmed this device. */
  onVerified(): Promise<unknown>
}

/**
 * Asks for the code of a link that was sent to one recipient, once the visitor has had it emailed. A
 * refusal because codes were sent recently leads to the field too: one of them may have arrived.
 */
export function CodeForm({ id, onVerified }: Props) {
  const { t } = useTranslation()
  const [step, setStep] = useState<'text' | 'sent' | 'already'>('text')
  const [codes, setCodes] = useState(0) // each has an empty field
  const countdown = useCountdown()
  const send = useMutation({
    mutationFn: () => api('POST /api/shares/:id/code', { params: { id } }),
    onSuccess: () => {
      setStep('sent')
      setCodes(codes + 1)
      countdown.start(codeInterval)
    },
    onError: (error) => {
      if (!isTooMany(error)) return
      setStep('already')
      countdown.start(Number(error.details.retryAfter) || codeInterval)
    },
  })
  const problem = send.isError && !isTooMany(send.error) ? errorText(t, send.error) : null
  return (
    <section className="unlock stack perch card">
      <Razorbill className="perch-picture" files={1} asleep />
      <h1>{t('code.title')}</h1>
      <p className="soft" role="status">
        {t(`code.${step}`)}
      </p>
      {step !== 'text' && <CodeField key={codes} id={id} onVerified={onVerified} />}
      <p className="unlock-error code-problem" role="alert">
        {problem}
      </p>
      <Button
        type={step === 'text' ? 'primary' : 'text'}
        className="code-send"
        size="large"
        block
        loading={send.isPending}
        disabled={countdown.text !== null}
        onClick={() => send.mutate()}
      >
        {sendLabel()}
      </Button>
    </section>
  )

  function sendLabel(): string {
    if (countdown.text !== null) return t('code.againIn', { time: countdown.text })
    return t(step === 'text' ? 'code.send' : 'code.again')
  }
}

function isTooMany(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'too_many_requests'
}

import { useMutation } from '@tanstack/react-query'
import { Button, Form } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useParams, useSearchParams } from 'wouter'
import { ApiError, api } from '../../api.ts'
import { CodeField } from '../../components/AccountFields.tsx'
import { openAsUser } from '../../lib/access.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { arePasskeysAvailable, passkeyErrorText, signInByPasskey } from '../../lib/passkeys.ts'
import { AuthCard } from './AuthCard.tsx'
import { PasskeyButton } from './PasskeyButton.tsx'
import { Or } from './SocialButtons.tsx'
import { firstStepPath } from './second-step.ts'

const expiredErrors = ['invalid_login_token', 'token_expired']

/** The second factor of a sign-in: a code of the authenticator, a recovery code or a passkey. */
export function TotpPage() {
  const { t } = useTranslation()
  usePageTitle(t('auth.totpTitle'))
  const { loginToken = '' } = useParams()
  const [search] = useSearchParams()
  const [kind, setKind] = useState<'digits' | 'recovery'>('digits')
  const signIn = useMutation({
    mutationFn: (code: string | null): Promise<unknown> =>
      code === null ? signInByPasskey(loginToken) : api('POST /api/auth/signIn/totp', { body: { totp: code.trim(), loginToken } }),
    onSuccess: openAsUser,
  })
  const busy = signIn.isPending || signIn.isSuccess
  const byPasskey = busy && signIn.variables === null
  const isExpired = signIn.error instanceof ApiError && expiredErrors.includes(signIn.error.code)
  const error = signIn.error && passkeyErrorText(t, signIn.error)
  if (isExpired) {
    return (
      <AuthCard title={t('auth.totpTitle')} error={error}>
        <Link href={firstStepPath()} asChild>
          <Button type="primary" size="large" block>
            {t('auth.signInAgain')}
          </Button>
        </Link>
      </AuthCard>
    )
  }
  return (
    <AuthCard title={t('auth.totpTitle')} text={t(kind === 'digits' ? 'auth.totpText' : 'auth.recoveryText')} error={error}>
      <Form<{ code: string }>
        key={kind}
        layout="vertical"
        requiredMark={false}
        onFinish={({ code }) => busy || signIn.mutate(code)}
        onValuesChange={() => signIn.isError && signIn.reset()}
      >
        <CodeField kind={kind} size="large" autoFocus />
        <Button type="primary" htmlType="submit" size="large" block loading={busy && !byPasskey}>
          {t('auth.signIn')}
        </Button>
      </Form>
      {search.get('passkey') === 'true' && arePasskeysAvailable() && (
        <>
          <Or />
          <PasskeyButton busy={byPasskey} onClick={() => signIn.mutate(null)} />
        </>
      )}
      <p className="auth-other">
        <button
          type="button"
          className="text-button auth-switch"
          onClick={() => {
            signIn.reset()
            setKind(kind === 'digits' ? 'recovery' : 'digits')
          }}
        >
          {t(kind === 'digits' ? 'auth.useRecoveryCode' : 'auth.useCode')}
        </button>
      </p>
    </AuthCard>
  )
}

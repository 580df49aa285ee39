import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { type Provider, providerNames } from '../../../../src/oauth/limits.ts'
import { ApiError, api } from '../../../api.ts'
import { Icon } from '../../../components/Icon.tsx'
import { errorText } from '../../../lib/error-text.ts'

/** Tests the saved settings of a provider. A failure shows the provider's own message. */
export function TestConnection({ provider, unsaved }: { provider: Provider; unsaved: boolean }) {
  const { t } = useTranslation()
  const test = useMutation({ mutationFn: () => api('POST /api/oauth/test/:provider', { params: { provider } }) })
  const { reset } = test
  useEffect(() => {
    if (unsaved) reset() // the result is about other settings
  }, [unsaved, reset])
  return (
    <div className="setting">
      <div className="setting-words">
        <p className="setting-name">{t('config.social.test')}</p>
        <p className="soft">{t(unsaved ? 'config.test.unsaved' : 'config.social.testText')}</p>
      </div>
      <div className="setting-field test-connection stack">
        <Button disabled={unsaved} loading={test.isPending} onClick={() => test.mutate()}>
          {t('config.social.test')}
        </Button>
        <div role="status">
          {!unsaved && test.isSuccess && (
            <p className="notice">
              <Icon name="check" />
              <span>{t('config.social.tested', { provider: providerNames[provider] })}</span>
            </p>
          )}
        </div>
        <div role="alert">{!unsaved && test.isError && <Failure error={test.error} />}</div>
      </div>
    </div>
  )
}

function Failure({ error }: { error: unknown }) {
  const { t } = useTranslation()
  const reason = error instanceof ApiError && error.code === 'provider_failed' ? String(error.details.reason ?? '') : ''
  return (
    <div className="notice notice-danger">
      <Icon name="info" />
      {reason ? (
        <div>
          <p>{t('config.social.testFailed')}</p>
          <samp dir="auto">{reason}</samp>
        </div>
      ) : (
        <span>{errorText(t, error)}</span>
      )}
    </div>
  )
}

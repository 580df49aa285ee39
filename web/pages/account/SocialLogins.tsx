import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Provider, providerNames, providers } from '../../../src/oauth/limits.ts'
import { api } from '../../api.ts'
import { AskDialog } from '../../components/AskDialog.tsx'
import { useConfirmed, useFailure } from '../../components/Confirmation.tsx'
import { Loaded, Part } from '../../components/Part.tsx'
import { ProviderMark } from '../../components/ProviderMark.tsx'
import { Row, RowList } from '../../components/RowList.tsx'
import { useLast } from '../../lib/last.ts'
import { useNotify } from '../../lib/notify.tsx'
import { start } from '../../start.ts'
import { socialLinks, useReload } from './queries.ts'

/**
 * The linked accounts of social login providers. Renders nothing if no provider is turned on or
 * linked.
 */
export function SocialLogins() {
  const { t } = useTranslation()
  const notify = useNotify()
  const reload = useReload()
  const linked = useQuery(socialLinks)
  const [unlinking, setUnlinking] = useState<{ provider: Provider; name: string } | null>(null)
  const shown = providers.filter((provider) => start.socialProviders.includes(provider) || linked.data?.[provider])
  if (shown.length === 0) return null
  return (
    <Part id="social" title={t('account.social')} text={t('account.socialText')}>
      <Loaded query={linked}>
        {(links) => (
          <RowList label={t('account.social')}>
            {shown.map((provider) => (
              <ProviderRow
                key={provider}
                provider={provider}
                name={links[provider]?.providerUsername}
                onUnlink={(name) => setUnlinking({ provider, name })}
              />
            ))}
          </RowList>
        )}
      </Loaded>
      <UnlinkDialog
        link={unlinking}
        onClose={() => setUnlinking(null)}
        onDone={async (provider) => {
          setUnlinking(null)
          notify.success(t('account.socialUnlinked', { provider: providerNames[provider] }))
          await reload('social')
        }}
      />
    </Part>
  )
}

interface RowProps {
  provider: Provider
  /** The username at the provider; undefined if it is not linked. */
  name: string | undefined
  onUnlink(name: string): void
}

function ProviderRow({ provider, name, onUnlink }: RowProps) {
  const { t } = useTranslation()
  const confirmed = useConfirmed()
  const failed = useFailure()
  const link = useMutation({
    mutationFn: () => confirmed((password) => api('POST /api/oauth/link/:provider', { params: { provider }, body: { password } })),
    onSuccess: ({ url }) => location.assign(url),
    onError: failed,
  })
  const title = providerNames[provider]
  const isOff = !start.socialProviders.includes(provider)
  return (
    <Row
      icon={<ProviderMark provider={provider} />}
      title={title}
      facts={[name ?? t('account.socialNotLinked'), isOff && t('account.socialOff')]}
    >
      {name === undefined ? (
        <Button
          aria-label={t('account.socialLinkOf', { provider: title })}
          loading={link.isPending || link.isSuccess}
          onClick={() => link.mutate()}
        >
          {t('account.socialLink')}
        </Button>
      ) : (
        <Button danger aria-label={t('account.socialUnlinkOf', { provider: title })} onClick={() => onUnlink(name)}>
          {t('account.socialUnlink')}
        </Button>
      )}
    </Row>
  )
}

interface DialogProps {
  link: { provider: Provider; name: string } | null
  onClose(): void
  onDone(provider: Provider): void
}

/** Asks for confirmation, then unlinks a provider. */
function UnlinkDialog({ link, onClose, onDone }: DialogProps) {
  const { t } = useTranslation()
  const confirmed = useConfirmed()
  const failed = useFailure()
  const last = useLast(link)
  const provider = last?.provider ?? 'oidc'
  return (
    <AskDialog
      open={link !== null}
      title={t('account.socialUnlinkTitle', { provider: providerNames[provider] })}
      text={t('account.socialUnlinkText', { name: last?.name })}
      ok={t('account.socialUnlink')}
      danger
      action={() => confirmed((password) => api('POST /api/oauth/unlink/:provider', { params: { provider }, body: { password } }))}
      onDone={() => onDone(provider)}
      onError={(error) => {
        onClose()
        failed(error)
      }}
      onClose={onClose}
    />
  )
}

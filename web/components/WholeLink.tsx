import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from './Icon.tsx'

/**
 * Looks up a link with the key of the encrypted share that `encrypted` names. The data is null if
 * this browser doesn't have the key. Looks up nothing without a share.
 */
export function useWholeLink(link: string, encrypted: string | undefined) {
  return useQuery({
    queryKey: ['whole-link', encrypted, link],
    queryFn: async () => (await import('../lib/encryption/encrypted-upload.ts')).wholeLinkOf(encrypted ?? '', link),
    enabled: encrypted !== undefined,
  })
}

interface Props {
  /** ID of the share. */
  id: string
  link: string
  encrypted: boolean
  children(link: string): ReactNode
}

/** Shows a link of a share, with its key if the share is encrypted and this browser has the key. */
export function WholeLink({ id, link, encrypted, children }: Props) {
  const { t } = useTranslation()
  const whole = useWholeLink(link, encrypted ? id : undefined)
  if (!encrypted) return children(link)
  if (whole.isPending) return null
  return (
    <>
      {children(whole.data ?? link)}
      {whole.data ? (
        <p className="soft small">{t('upload.wholeLink')}</p>
      ) : (
        <p className="notice">
          <Icon name="info" />
          <span>{t('upload.keyMissing')}</span>
        </p>
      )}
    </>
  )
}

import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../components/Icon.tsx'
import { address } from '../../../lib/address.ts'
import { copyText } from '../../../lib/clipboard.ts'
import { previewPath } from '../../../lib/share-addresses.ts'

interface Props {
  shareId: string
  fileId: string
  name: string
  /** Shows the link in another way, where the browser can't copy. */
  onFail(): void
}

/** Copies the link of a file and confirms it, also to screen readers. */
export function CopyLink({ shareId, fileId, name, onFail }: Props) {
  const { t } = useTranslation()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    if (await copyText(location.origin + address(previewPath(shareId, fileId)))) setCopied(true)
    else onFail()
  }
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label={t('preview.copyLinkOf', { name })}
        title={t('preview.copyLink')}
        onClick={copy}
      >
        <Icon name={copied ? 'check' : 'link'} />
      </button>
      <span className="visually-hidden" role="status">
        {copied && t('common.copied')}
      </span>
    </>
  )
}

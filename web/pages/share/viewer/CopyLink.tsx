import { useTranslation } from 'react-i18next'
import { Icon } from '../../../components/Icon.tsx'
import { address } from '../../../lib/address.ts'
import { previewPath } from '../../../lib/share-addresses.ts'
import { useCopy } from '../../../lib/use-copy.ts'

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
  const { copied, copy } = useCopy(location.origin + address(previewPath(shareId, fileId)), onFail)
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

import { useTranslation } from 'react-i18next'
import { useCopy } from '../lib/use-copy.ts'
import { RowButton } from './RowList.tsx'
import { useWholeLink } from './WholeLink.tsx'

interface Props {
  link: string
  /** The share if it is encrypted, so that the copied link has its key. */
  encrypted: string | undefined
  /** The visible tooltip; absent for "Copy". */
  title?: string
  /** For screen readers: the action and the name of the link. */
  label: string
}

/** A button of a row that copies a link. */
export function CopyLink({ link, encrypted, title, label }: Props) {
  const { t } = useTranslation()
  const { copied, copy } = useCopy(useWholeLink(link, encrypted).data ?? link)
  return (
    <RowButton
      icon={copied ? 'check' : 'copy'}
      title={copied ? t('common.copied') : (title ?? t('common.copy'))}
      label={label}
      onClick={copy}
    />
  )
}

import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useCopy } from '../lib/use-copy.ts'
import { Icon } from './Icon.tsx'

interface Props {
  text: string
  /** What the button copies; absent for "Copy". */
  label?: string
  primary?: boolean
  className?: string
}

/** A button that copies a text and confirms it, also to screen readers. */
export function CopyButton({ text, label, primary = false, className }: Props) {
  const { t } = useTranslation()
  const { copied, copy } = useCopy(text)
  return (
    <>
      <Button
        className={className}
        type={primary ? 'primary' : 'default'}
        icon={<Icon name={copied ? 'check' : 'copy'} size={18} />}
        onClick={copy}
      >
        {copied ? t('common.copied') : (label ?? t('common.copy'))}
      </Button>
      <span className="visually-hidden" role="status">
        {copied && t('common.copied')}
      </span>
    </>
  )
}

import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { copyText } from '../lib/clipboard.ts'
import { useNotify } from '../lib/notify.tsx'
import { Icon } from './Icon.tsx'

/**
 * Returns a function that copies a text, and whether the text was copied within the last two
 * seconds.
 */
function useCopy(text: string): { copied: boolean; copy(): Promise<void> } {
  const { t } = useTranslation()
  const notify = useNotify()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    if (await copyText(text)) setCopied(true)
    else notify.warning(t('common.copyFailed'))
  }
  return { copied, copy }
}

/** A button that copies a text and confirms it, also to screen readers. */
export function CopyButton({ text, primary = false }: { text: string; primary?: boolean }) {
  const { t } = useTranslation()
  const { copied, copy } = useCopy(text)
  return (
    <>
      <Button type={primary ? 'primary' : 'default'} icon={<Icon name={copied ? 'check' : 'copy'} size={18} />} onClick={copy}>
        {t(copied ? 'common.copied' : 'common.copy')}
      </Button>
      <span className="visually-hidden" role="status">
        {copied && t('common.copied')}
      </span>
    </>
  )
}

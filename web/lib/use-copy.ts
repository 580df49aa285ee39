import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { copyText } from './clipboard.ts'
import { useNotify } from './notify.tsx'

/**
 * Returns a function that copies a text, and whether the text was copied within the last two
 * seconds. Where the browser can't copy, `onFail` is called instead of showing a warning.
 */
export function useCopy(text: string, onFail?: () => void): { copied: boolean; copy(): Promise<void> } {
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
    else if (onFail) onFail()
    else notify.warning(t('common.copyFailed'))
  }
  return { copied, copy }
}

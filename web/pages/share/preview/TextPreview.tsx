import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../../lib/format.ts'

const shownBytes = 1_000_000

interface Props {
  address: string
  /** Bytes. */
  size: number
  onFail(): void
}

/** The beginning of a text file. */
export function TextPreview({ address, size, onFail }: Props) {
  const { t } = useTranslation()
  const text = useQuery({ queryKey: ['text', address], queryFn: ({ signal }) => readText(address, size, signal), retry: false, gcTime: 0 })
  useEffect(() => {
    if (text.isError) onFail()
  }, [text.isError, onFail])
  if (text.data === undefined) return <p className="soft preview-none">{t('common.loading')}</p>
  return (
    <div className="preview-text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard */}
      <pre tabIndex={0} dir="auto">
        {text.data}
      </pre>
      {size > shownBytes && <p className="soft">{t('preview.cut', { size: formatBytes(shownBytes) })}</p>}
    </div>
  )
}

/** UTF-16 is told by its byte order mark; all else is taken as UTF-8. */
async function readText(address: string, size: number, signal: AbortSignal): Promise<string> {
  if (size === 0) return ''
  const response = await fetch(address, { headers: { range: `bytes=0-${shownBytes - 1}` }, signal })
  if (!response.ok) throw new Error(`${response.status}`)
  const bytes = new Uint8Array(await response.arrayBuffer()).subarray(0, shownBytes)
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

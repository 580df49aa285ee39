import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../../lib/format.ts'

const maxBytes = 1_000_000

interface Props {
  address: string
  /** Bytes. */
  size: number
  onFail(): void
}

/** Shows the first megabyte of a text file. */
export function TextPreview({ address, size, onFail }: Props) {
  const { t } = useTranslation()
  const text = useQuery({ queryKey: ['text', address], queryFn: ({ signal }) => readText(address, size, signal), retry: false, gcTime: 0 })
  useEffect(() => {
    if (text.isError) onFail()
  }, [text.isError, onFail])
  if (text.data === undefined) return <p className="soft preview-none">{t('common.loading')}</p>
  return (
    <div className="preview-text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: can be scrolled with the keyboard */}
      <pre tabIndex={0} dir="auto">
        {text.data}
      </pre>
      {size > maxBytes && <p className="soft">{t('preview.cut', { size: formatBytes(maxBytes) })}</p>}
    </div>
  )
}

/**
 * Reads a text. UTF-16 is recognized by its byte order mark, everything else is decoded as UTF-8.
 */
async function readText(address: string, size: number, signal: AbortSignal): Promise<string> {
  if (size === 0) return ''
  const response = await fetch(address, { headers: { range: `bytes=0-${maxBytes - 1}` }, signal })
  if (!response.ok) throw new Error(`${response.status}`)
  const bytes = new Uint8Array(await response.arrayBuffer()).subarray(0, maxBytes)
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

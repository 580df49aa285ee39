import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../../lib/format.ts'
import { formOf } from './text-form.ts'

const FormattedView = lazy(async () => ({ default: (await import('./FormattedView.tsx')).FormattedView }))
const CsvView = lazy(async () => ({ default: (await import('./CsvView.tsx')).CsvView }))

const maxBytes = 1_000_000

interface Props {
  name: string
  address: string
  /** Bytes. */
  size: number
  onFail(): void
}

/** Shows the first megabyte of a text file: formatted where its kind is known, plain otherwise. */
export function TextView({ name, address, size, onFail }: Props) {
  const { t } = useTranslation()
  const text = useQuery({ queryKey: ['text', address], queryFn: ({ signal }) => readText(address, signal), retry: false, gcTime: 0 })
  useEffect(() => {
    if (text.isError) onFail()
  }, [text.isError, onFail])
  if (text.data === undefined) return <p className="soft viewer-center">{t('common.loading')}</p>
  const plain = <pre>{text.data}</pre>
  const form = formOf(name, size)
  const formatted = form === 'table' ? <CsvView text={text.data} /> : form && <FormattedView form={form} name={name} text={text.data} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: can be scrolled with the keyboard
    <div className="viewer-sheet" data-theme={getComputedStyle(document.documentElement).colorScheme} tabIndex={0} dir="auto">
      <Suspense fallback={plain}>{formatted ?? plain}</Suspense>
      {size > maxBytes && <p className="soft">{t('preview.cut', { size: formatBytes(maxBytes) })}</p>}
    </div>
  )
}

/**
 * Reads a text. UTF-16 is recognized by its byte order mark, everything else is decoded as UTF-8.
 */
async function readText(address: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { headers: { range: `bytes=0-${maxBytes - 1}` }, signal })
  if (!response.ok) throw new Error(`${response.status}`)
  const bytes = new Uint8Array(await response.arrayBuffer()).subarray(0, maxBytes)
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

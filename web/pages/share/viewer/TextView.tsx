import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../../lib/format.ts'
import { readText, shownBytesMax } from '../read-text.ts'
import { formOf } from './text-form.ts'

const FormattedView = lazy(async () => ({ default: (await import('./FormattedView.tsx')).FormattedView }))
const CsvView = lazy(async () => ({ default: (await import('./CsvView.tsx')).CsvView }))

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
  const text = useQuery({ queryKey: ['text', address], queryFn: ({ signal }) => readText(address, size, signal), retry: false, gcTime: 0 })
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
      {size > shownBytesMax && <p className="soft">{t('preview.cut', { size: formatBytes(shownBytesMax) })}</p>}
    </div>
  )
}

import { useIsFetching, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { SharedFile } from '../../../src/shares/contract.ts'
import { Icon } from '../../components/Icon.tsx'
import { formatBytes } from '../../lib/format.ts'
import { useHydrated } from '../../lib/hydration.tsx'
import { fileAddress } from '../../lib/share-addresses.ts'
import { useCopy } from '../../lib/use-copy.ts'
import { linkIn } from './link-in.ts'
import { readText, shownBytesMax } from './read-text.ts'
import './text-share.css'

/** Shows a shared text with a button that copies it. A text that is only a link can be followed. */
export function TextShare({ shareId, file }: { shareId: string; file: SharedFile }) {
  const { t } = useTranslation()
  const hydrated = useHydrated()
  const isEntering = useIsFetching({ queryKey: ['share', shareId] }) > 0 // the page counts the visit, not the file
  const address = fileAddress(shareId, file.id, true)
  const {
    data: text = '',
    isSuccess,
    isError,
  } = useQuery({
    queryKey: ['text', address],
    queryFn: ({ signal }) => readText(address, Number(file.size), signal),
    enabled: hydrated && !isEntering,
    retry: 1,
  })
  const { copied, copy } = useCopy(text)
  const link = linkIn(text)
  return (
    <section className="card text-share stack" aria-label={t('share.text')} aria-busy={!isSuccess && !isError}>
      {isError && <p role="alert">{t('share.textFailed')}</p>}
      {isSuccess && (
        <>
          <div className="actions">
            <button type="button" className="button button-primary" onClick={copy}>
              <Icon name={copied ? 'check' : 'copy'} size={18} />
              {t(copied ? 'common.copied' : 'common.copy')}
            </button>
            {link && (
              <a className="button" href={link.href} target="_blank" rel="noopener noreferrer nofollow">
                <Icon name="link" size={18} />
                {t('share.openLink', { host: link.host })}
              </a>
            )}
            <span className="visually-hidden" role="status">
              {copied && t('common.copied')}
            </span>
          </div>
          <pre dir="auto" className={link ? 'text-share-link' : undefined}>
            {text}
          </pre>
          {Number(file.size) > shownBytesMax && <p className="soft">{t('preview.cut', { size: formatBytes(shownBytesMax) })}</p>}
        </>
      )}
    </section>
  )
}

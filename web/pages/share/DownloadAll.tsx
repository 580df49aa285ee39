import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../api.ts'
import { Icon } from '../../components/Icon.tsx'
import { formatPercent } from '../../lib/format.ts'
import { zipAddress } from '../../lib/share-addresses.ts'
import { embeddedShare, loadedAt } from './share-access.ts'

const pollInterval = 2_000 // ms

/** Downloads all files as a zip. Shows the progress while the server builds it. */
export function DownloadAll({ id }: { id: string }) {
  const { t } = useTranslation()
  const meta = useQuery({
    queryKey: ['zip', id],
    queryFn: () => api('GET /api/shares/:id/metaData', { params: { id } }),
    initialData: () => embeddedShare(id)?.metaData ?? undefined,
    initialDataUpdatedAt: loadedAt,
    staleTime: pollInterval,
    refetchInterval: ({ state }) => (state.data?.zip.state === 'preparing' ? pollInterval : false),
  })
  const zip = meta.data?.zip
  if (zip?.state === 'failed') {
    return (
      <p className="zip-note line" role="status">
        <Icon name="info" /> {t('error.zip_failed')}
      </p>
    )
  }
  const preparing = zip?.state === 'preparing'
  return (
    <>
      {zip?.state === 'ready' ? (
        <ZipLink id={id} />
      ) : (
        <button type="button" className="button button-large button-primary" disabled>
          <Icon name="download" />
          <span suppressHydrationWarning>
            {preparing ? t('share.preparing', { percent: formatPercent(zip.progress) }) : t('share.downloadAll')}
          </span>
        </button>
      )}
      <span className="visually-hidden" role="status">
        {preparing && t('share.preparingNote')}
      </span>
    </>
  )
}

/** Downloads a zip that is ready. */
export function ZipLink({ id }: { id: string }) {
  const { t } = useTranslation()
  return (
    <a className="button button-large button-primary" href={zipAddress(id)} download>
      <Icon name="download" />
      {t('share.downloadAll')}
    </a>
  )
}

import { useTranslation } from 'react-i18next'
import type { ReceivedShare } from '../../../src/reverse-shares/contract.ts'
import { api } from '../../api.ts'
import { Icon } from '../../components/Icon.tsx'
import { RowButton } from '../../components/RowList.tsx'
import { useNotify } from '../../lib/notify.tsx'
import { fileAddress, zipAddress } from '../../lib/share-addresses.ts'

/** Downloads a received share: its only file, or the zip once the server has built it. */
export function DownloadButton({ share: { id, files, fileCount }, name }: { share: ReceivedShare; name: string }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const texts = { title: t('share.download'), label: t('reverse.downloadOf', { name }) }
  const [only] = files
  if (only && fileCount === 1) {
    return (
      <a className="icon-button" href={fileAddress(id, only.id)} download title={texts.title} aria-label={texts.label}>
        <Icon name="download" />
      </a>
    )
  }
  const download = async () => {
    const { zip } = await api('GET /api/shares/:id/metaData', { params: { id } })
    if (zip.state === 'preparing') notify.info(t('error.zip_not_ready'))
    else if (zip.state === 'failed') notify.warning(t('error.zip_failed'))
    else location.assign(zipAddress(id))
  }
  return <RowButton icon="download" {...texts} onClick={() => download().catch(notify.error)} />
}

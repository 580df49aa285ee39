import { useTranslation } from 'react-i18next'
import type { ReceivedShare } from '../../../src/reverse-shares/contract.ts'
import { api } from '../../api.ts'
import { Icon } from '../../components/Icon.tsx'
import { RowButton } from '../../components/RowList.tsx'
import { useNotify } from '../../lib/notify.tsx'
import { fileAddress, zipAddress } from '../../lib/share-addresses.ts'

/** Downloads all that came in one share: the file, or the archive once the server has it. */
export function DownloadButton({ share: { id, files, fileCount }, name }: { share: ReceivedShare; name: string }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const words = { title: t('share.download'), label: t('reverse.downloadOf', { name }) }
  const [only] = files
  if (only && fileCount === 1) {
    return (
      <a className="icon-button" href={fileAddress(id, only.id)} download title={words.title} aria-label={words.label}>
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
  return <RowButton icon="download" {...words} onClick={() => download().catch(notify.error)} />
}

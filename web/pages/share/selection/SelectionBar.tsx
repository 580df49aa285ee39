import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { selectedFilesMax } from '../../../../src/downloads/limits.ts'
import type { SharePage } from '../../../../src/shares/contract.ts'
import { api } from '../../../api.ts'
import { Icon } from '../../../components/Icon.tsx'
import { errorText } from '../../../lib/error-text.ts'
import { formatBytes } from '../../../lib/format.ts'
import { fileAddress, zipAddress } from '../../../lib/share-addresses.ts'
import { startDownload } from '../../../lib/start-download.ts'
import { refusalOf } from '../use-limited-downloads.ts'
import type { Selection } from './use-selection.ts'
import './selection-bar.css'

interface Props {
  share: SharePage
  selection: Selection
}

/** Shows how much is selected, and downloads it: one file as it is, several as a zip. */
export function SelectionBar({ share, selection }: Props) {
  const { t } = useTranslation()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState('')
  const files = [...selection.files.values()]
  const size = files.reduce((sum, file) => sum + Number(file.size), 0)
  const download = async () => {
    setBusy(true)
    setFailure('')
    try {
      const href = await addressOf(share, files)
      const refusal = share.downloadsLeft === undefined ? null : await refusalOf(href)
      if (refusal) throw refusal
      startDownload(href)
    } catch (error) {
      setFailure(errorText(t, error))
    }
    setBusy(false)
  }
  return (
    <section className="selection-bar" aria-label={t('share.selection')}>
      <button type="button" className="icon-button" aria-label={t('share.clearSelection')} onClick={selection.clear}>
        <Icon name="close" />
      </button>
      <p className="lines words" role="status">
        <span className="selection-count">{t('share.selected', { count: files.length })}</span>
        <span className="small soft">{failure || formatBytes(size)}</span>
      </p>
      <button type="button" className="text-button" onClick={selection.pickAll}>
        {t('share.selectAll')}
      </button>
      <button type="button" className="button button-primary" disabled={files.length === 0 || isBusy} onClick={download}>
        <Icon name="download" />
        {t('share.download')}
      </button>
    </section>
  )
}

async function addressOf({ id, files: all, encrypted }: SharePage, files: SharePage['files']): Promise<string> {
  const [only] = files
  if (only && files.length === 1) return fileAddress(id, only.id)
  if (files.length === all.length && files.length > selectedFilesMax) return zipAddress(id)
  const ids = files.map((file) => file.id)
  if (encrypted) {
    const { addSelection } = await import('../encrypted/connection.ts')
    return `${zipAddress(id)}?selection=${await addSelection(id, ids)}`
  }
  const { url } = await api('POST /api/shares/:id/selections', { params: { id }, body: { files: ids } })
  return url
}

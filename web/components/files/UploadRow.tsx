import type { TFunction } from 'i18next'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { FileView } from '../../../uploader/types.ts'
import type { Uploader } from '../../../uploader/uploader.ts'
import { formatBytes, formatPercent } from '../../lib/format.ts'
import { Icon } from '../Icon.tsx'
import { FileLabel } from './FileLabel.tsx'
import { problemText } from './problem-text.ts'

interface Props {
  file: FileView
  uploader: Uploader
  /** Whether the file can still be removed from the upload. */
  open: boolean
}

/** Shows the progress or the problem of one file, with buttons to retry and to remove it. */
export const UploadRow = memo(function UploadRow({ file, uploader, open }: Props) {
  const { t } = useTranslation()
  const { key, name, size, sent, status, problem } = file
  const fraction = size > 0 ? sent / size : status === 'done' ? 1 : 0
  return (
    <>
      <FileLabel name={name} note={note(t, file)} />
      {status === 'done' && (
        <span className="row-done" role="img" aria-label={t('upload.status.done')}>
          <Icon name="check" />
        </span>
      )}
      {problem && (
        <button
          type="button"
          className="icon-button"
          aria-label={t('upload.retryFile', { name: showInvisible(name) })}
          onClick={() => uploader.retry(key)}
        >
          <Icon name="refresh" />
        </button>
      )}
      {open && (
        <button
          type="button"
          className="icon-button icon-button-danger"
          aria-label={t('upload.remove', { name: showInvisible(name) })}
          onClick={() => uploader.remove(key)}
        >
          <Icon name="close" />
        </button>
      )}
      {status !== 'queued' && status !== 'done' && (
        <span className={`row-bar row-bar-${status}`} aria-hidden="true">
          <span style={{ inlineSize: `${fraction * 100}%` }} />
        </span>
      )}
    </>
  )
})

function note(t: TFunction, { size, sent, status, problem }: FileView) {
  if (problem) return <span className="row-problem">{problemText(t, problem)}</span>
  if (status === 'sending' && size > 0) {
    return `${formatBytes(size)} · ${formatPercent(Math.floor((sent / size) * 100) / 100)}`
  }
  return status === 'done' ? formatBytes(size) : `${formatBytes(size)} · ${t(`upload.status.${status}`)}`
}

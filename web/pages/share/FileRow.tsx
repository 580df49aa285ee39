import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/Icon.tsx'
import { formatBytes } from '../../format.ts'
import { fileAddress } from './addresses.ts'
import { iconOf, isPreviewable } from './file-kinds.ts'
import type { Entry, SharedFile } from './folders.ts'

interface FileProps {
  shareId: string
  file: SharedFile
  /** Without its folders. */
  name: string
  onPreview(file: SharedFile): void
  onShowLink(fileId: string, name: string): void
}

/** One file. Plain elements: there may be thousands. Downloads are plain navigations, for iPhones and for large files. */
export const FileRow = memo(function FileRow({ shareId, file, name, onPreview, onShowLink }: FileProps) {
  const { t } = useTranslation()
  const address = fileAddress(shareId, file.id)
  const size = formatBytes(Number(file.size))
  return (
    <tr>
      <th scope="row" className="file-name">
        <span className={`file-icon file-icon-${iconOf(name)}`}>
          <Icon name={iconOf(name)} />
        </span>
        <span className="file-words">
          {isPreviewable(name) ? (
            <button type="button" className="text-button file-link" onClick={() => onPreview(file)}>
              <bdi>{name}</bdi>
            </button>
          ) : (
            <a className="file-link" href={address} download>
              <bdi>{name}</bdi>
            </a>
          )}
          <span className="file-size-below soft">{size}</span>
        </span>
      </th>
      <td className="file-size">{size}</td>
      <td className="row-actions">
        <button
          type="button"
          className="icon-button"
          aria-label={t('share.linkOf', { name })}
          title={t('common.link')}
          onClick={() => onShowLink(file.id, name)}
        >
          <Icon name="link" />
        </button>
        <a className="icon-button" href={address} download aria-label={t('share.downloadOf', { name })} title={t('share.download')}>
          <Icon name="download" />
        </a>
      </td>
    </tr>
  )
})

/** One folder, with what is in it. */
export function FolderRow({ entry, onOpen }: { entry: Entry; onOpen(): void }) {
  const { t } = useTranslation()
  const size = formatBytes(entry.size)
  return (
    <tr>
      <th scope="row" className="file-name">
        <span className="file-icon file-icon-folder">
          <Icon name="folder" />
        </span>
        <span className="file-words">
          <button type="button" className="text-button file-link" onClick={onOpen}>
            <bdi>{entry.name}</bdi>
          </button>
          <span className="file-count soft">
            {t('share.files', { count: entry.count })}
            <span className="file-size-below">, {size}</span>
          </span>
        </span>
      </th>
      <td className="file-size">{size}</td>
      <td className="row-actions">
        <Icon name="chevron" />
      </td>
    </tr>
  )
}

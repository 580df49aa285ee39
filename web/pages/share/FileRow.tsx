import { memo, type Ref } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import { Icon } from '../../components/Icon.tsx'
import { formatBytes } from '../../format.ts'
import { fileAddress } from './addresses.ts'
import { iconOf, isPreviewable } from './file-kinds.ts'
import type { Entry, SharedFile } from './folders.ts'

/** Where a row is in a list of which only a part exists. */
export interface Place {
  index: number
  ref: Ref<HTMLTableRowElement>
}

interface FileProps {
  index?: number | undefined
  measure?: Ref<HTMLTableRowElement> | undefined
  shareId: string
  file: SharedFile
  /** Without its folders. */
  name: string
  onPreview(file: SharedFile): void
  onShowLink(fileId: string, name: string): void
}

/** One file. Downloads are plain navigations, for iPhones and for large files. */
export const FileRow = memo(function FileRow({ index, measure, shareId, file, name, onPreview, onShowLink }: FileProps) {
  const { t } = useTranslation()
  const address = fileAddress(shareId, file.id)
  const shown = showInvisible(name)
  const size = formatBytes(Number(file.size))
  return (
    <tr ref={measure} {...numbered(index)}>
      <th scope="row" className="file-name">
        <span className={`file-icon file-icon-${iconOf(name)}`}>
          <Icon name={iconOf(name)} />
        </span>
        <span className="file-words">
          {isPreviewable(name) ? (
            <button type="button" className="text-button file-link" onClick={() => onPreview(file)}>
              <bdi>{shown}</bdi>
            </button>
          ) : (
            <a className="file-link" href={address} download>
              <bdi>{shown}</bdi>
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
          aria-label={t('share.linkOf', { name: shown })}
          title={t('common.link')}
          onClick={() => onShowLink(file.id, name)}
        >
          <Icon name="link" />
        </button>
        <a className="icon-button" href={address} download aria-label={t('share.downloadOf', { name: shown })} title={t('share.download')}>
          <Icon name="download" />
        </a>
      </td>
    </tr>
  )
})

/** One folder, with what is in it. */
export function FolderRow({ entry, place, onOpen }: { entry: Entry; place?: Place | undefined; onOpen(): void }) {
  const { t } = useTranslation()
  const size = formatBytes(entry.size)
  return (
    <tr ref={place?.ref} {...numbered(place?.index)}>
      <th scope="row" className="file-name">
        <span className="file-icon file-icon-folder">
          <Icon name="folder" />
        </span>
        <span className="file-words">
          <button type="button" className="text-button file-link" onClick={onOpen}>
            <bdi>{showInvisible(entry.name)}</bdi>
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

/** Says to screen readers which row of all it is, the head being the first. */
function numbered(index: number | undefined) {
  return index === undefined ? {} : { 'data-index': index, 'aria-rowindex': index + 2 }
}

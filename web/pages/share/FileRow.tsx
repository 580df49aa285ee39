import type { TFunction } from 'i18next'
import { type MouseEvent, memo, type Ref } from 'react'
import { Link } from 'wouter'
import { showInvisible } from '../../../src/invisible-characters.ts'
import { RepeatedIcon } from '../../components/Icon.tsx'
import { iconOf, isPreviewable } from '../../lib/file-kinds.ts'
import { formatBytes } from '../../lib/format.ts'
import { useHydrated } from '../../lib/hydration.tsx'
import { fileAddress } from '../../lib/share-addresses.ts'
import type { Entry, SharedFile } from './folders.ts'

/** Where a row is in a list of which only a part exists. */
export interface Place {
  index: number
  ref: Ref<HTMLTableRowElement>
}

/** Texts of every row: looking them up for each one would take longer than rendering it. */
export interface RowTexts {
  link: string
  download: string
  linkOf(name: string): string
  downloadOf(name: string): string
}

/** Returns the texts of the rows in the page's language. */
export function rowTexts(t: TFunction): RowTexts {
  return {
    link: t('common.link'),
    download: t('share.download'),
    linkOf: textWithName(t, 'share.linkOf'),
    downloadOf: textWithName(t, 'share.downloadOf'),
  }
}

function textWithName(t: TFunction, key: string): (name: string) => string {
  const place = '\0'
  const [before = '', after = ''] = t(key, { name: place }).split(place)
  return (name) => before + name + after
}

interface FileProps {
  texts: RowTexts
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
export const FileRow = memo(function FileRow({ texts, index, measure, shareId, file, name, onPreview, onShowLink }: FileProps) {
  const hydrated = useHydrated()
  const address = fileAddress(shareId, file.id)
  const shown = showInvisible(name)
  const size = formatBytes(Number(file.size))
  const preview = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return // for a tab or a window of its own
    event.preventDefault()
    onPreview(file)
  }
  return (
    <tr ref={measure} {...numbered(index)}>
      <th scope="row" className="file-name">
        <span className={`file-icon file-icon-${iconOf(name)}`}>
          <RepeatedIcon name={iconOf(name)} />
        </span>
        <span className="file-words">
          {isPreviewable(name) ? (
            <a className="file-link" href={fileAddress(shareId, file.id, true)} onClick={preview}>
              <bdi>{shown}</bdi>
            </a>
          ) : (
            <a className="file-link" href={address} download>
              <bdi>{shown}</bdi>
            </a>
          )}
          <span className="file-size-below soft" suppressHydrationWarning>
            {size}
          </span>
        </span>
      </th>
      <td className="file-size" suppressHydrationWarning>
        {size}
      </td>
      <td className="row-actions">
        <button
          type="button"
          className="icon-button"
          aria-label={texts.linkOf(shown)}
          title={texts.link}
          disabled={!hydrated}
          onClick={() => onShowLink(file.id, name)}
        >
          <RepeatedIcon name="link" />
        </button>
        <a className="icon-button" href={address} download aria-label={texts.downloadOf(shown)} title={texts.download}>
          <RepeatedIcon name="download" />
        </a>
      </td>
    </tr>
  )
})

interface FolderProps {
  t: TFunction
  entry: Entry
  place?: Place | undefined
  address: string
}

/** One folder, with what is in it. */
export function FolderRow({ t, entry, place, address }: FolderProps) {
  const size = formatBytes(entry.size)
  return (
    <tr ref={place?.ref} {...numbered(place?.index)}>
      <th scope="row" className="file-name">
        <span className="file-icon file-icon-folder">
          <RepeatedIcon name="folder" />
        </span>
        <span className="file-words">
          <Link className="file-link" href={address}>
            <bdi>{showInvisible(entry.name)}</bdi>
          </Link>
          <span className="file-count soft">
            {t('share.files', { count: entry.count })}
            <span className="file-size-below" suppressHydrationWarning>
              {`, ${size}`}
            </span>
          </span>
        </span>
      </th>
      <td className="file-size" suppressHydrationWarning>
        {size}
      </td>
      <td className="row-actions">
        <RepeatedIcon name="chevron" />
      </td>
    </tr>
  )
}

/** Says to screen readers which row of all it is, the head being the first. */
function numbered(index: number | undefined) {
  return index === undefined ? {} : { 'data-index': index, 'aria-rowindex': index + 2 }
}

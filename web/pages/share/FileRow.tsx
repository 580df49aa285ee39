import type { TFunction } from 'i18next'
import { type MouseEvent, memo, type Ref } from 'react'
import { Link } from 'wouter'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { SharedFile } from '../../../src/shares/contract.ts'
import { RepeatedIcon } from '../../components/Icon.tsx'
import { iconOf, isPreviewable } from '../../lib/file-kinds.ts'
import { formatBytes } from '../../lib/format.ts'
import { useHydrated } from '../../lib/hydration.tsx'
import { fileAddress } from '../../lib/share-addresses.ts'
import type { Entry } from './folders.ts'

/** Position of a row in a virtualized list. */
export interface RowPosition {
  index: number
  ref: Ref<HTMLTableRowElement> | undefined
}

/** Texts of every row. They are looked up once, because that takes longer than rendering a row. */
interface RowTexts {
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
  const placeholder = '\0'
  const [before = '', after = ''] = t(key, { name: placeholder }).split(placeholder)
  return (name) => before + name + after
}

interface FileProps {
  texts: RowTexts
  index?: number | undefined
  measure?: Ref<HTMLTableRowElement> | undefined
  shareId: string
  file: SharedFile
  /** The name to show, without the folders that the list is in. */
  name: string
  onPreview(file: SharedFile): void
  onShowLink(fileId: string, name: string): void
}

/** Shows a file. Downloads are plain links, which iPhones and large files need. */
export const FileRow = memo(function FileRow({ texts, index, measure, shareId, file, name, onPreview, onShowLink }: FileProps) {
  const hydrated = useHydrated()
  const address = fileAddress(shareId, file.id)
  const shownName = showInvisible(name)
  const size = formatBytes(Number(file.size))
  const preview = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return // the user wants a new tab or window
    event.preventDefault()
    onPreview(file)
  }
  return (
    <tr ref={measure} {...rowNumber(index)}>
      <th scope="row" className="file-name line">
        <span className={`file-icon tile file-icon-${iconOf(name)}`}>
          <RepeatedIcon name={iconOf(name)} />
        </span>
        <span className="file-words lines">
          {isPreviewable(name) ? (
            <a className="file-link quiet-link" href={fileAddress(shareId, file.id, true)} onClick={preview}>
              <bdi>{shownName}</bdi>
            </a>
          ) : (
            <a className="file-link quiet-link" href={address} download>
              <bdi>{shownName}</bdi>
            </a>
          )}
          <span className="file-size-below small soft" suppressHydrationWarning>
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
          aria-label={texts.linkOf(shownName)}
          title={texts.link}
          disabled={!hydrated}
          onClick={() => onShowLink(file.id, name)}
        >
          <RepeatedIcon name="link" />
        </button>
        <a className="icon-button" href={address} download aria-label={texts.downloadOf(shownName)} title={texts.download}>
          <RepeatedIcon name="download" />
        </a>
      </td>
    </tr>
  )
})

interface FolderProps {
  t: TFunction
  entry: Entry
  position?: RowPosition | undefined
  address: string
}

/** Shows a folder with the number and size of its files. */
export function FolderRow({ t, entry, position, address }: FolderProps) {
  const size = formatBytes(entry.size)
  return (
    <tr ref={position?.ref} {...rowNumber(position?.index)}>
      <th scope="row" className="file-name line">
        <span className="file-icon tile">
          <RepeatedIcon name="folder" />
        </span>
        <span className="file-words lines">
          <Link className="file-link quiet-link" href={address}>
            <bdi>{showInvisible(entry.name)}</bdi>
          </Link>
          <span className="small soft">
            {t('share.files', { count: entry.count })}
            <span className="file-size-below small" suppressHydrationWarning>
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

/** Returns the row number for screen readers, which count the table head as the first row. */
function rowNumber(index: number | undefined) {
  return index === undefined ? {} : { 'data-index': index, 'aria-rowindex': index + 2 }
}

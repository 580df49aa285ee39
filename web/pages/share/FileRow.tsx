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
import { type Entry, keyOf } from './folders.ts'
import { openOrPick } from './selection/open-or-pick.ts'
import { PickBox } from './selection/PickBox.tsx'
import type { Pick, Picked } from './selection/use-selection.ts'

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
  selectOf(name: string): string
}

/** Returns the texts of the rows in the page's language. */
export function rowTexts(t: TFunction): RowTexts {
  return {
    link: t('common.link'),
    download: t('share.download'),
    linkOf: textWithName(t, 'share.linkOf'),
    downloadOf: textWithName(t, 'share.downloadOf'),
    selectOf: textWithName(t, 'share.selectOne'),
  }
}

function textWithName(t: TFunction, key: string): (name: string) => string {
  const placeholder = '\0'
  const [before = '', after = ''] = t(key, { name: placeholder }).split(placeholder)
  return (name) => before + name + after
}

interface PickProps {
  picked?: Picked
  /** Whether a click selects instead of opening. */
  isOn?: boolean
  /** Absent: there is nothing to select from. */
  onPick?: Pick
}

interface FileProps extends PickProps {
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
export const FileRow = memo(function FileRow(props: FileProps) {
  const { texts, index, measure, shareId, file, name, picked, isOn, onPick, onPreview, onShowLink } = props
  const hydrated = useHydrated()
  const address = fileAddress(shareId, file.id)
  const shownName = showInvisible(name)
  const size = formatBytes(Number(file.size))
  const preview = isPreviewable(name) ? () => onPreview(file) : undefined
  const open = (event: MouseEvent) => openOrPick(event, { key: file.id, isOn, onPick, open: preview })
  return (
    <tr ref={measure} {...rowNumber(index)}>
      <th scope="row" className="file-name line">
        <span className={`file-icon tile file-icon-${iconOf(name)}`}>
          <RepeatedIcon name={iconOf(name)} />
          {onPick && <PickBox label={texts.selectOf(shownName)} picked={picked ?? false} onPick={(extend) => onPick(file.id, extend)} />}
        </span>
        <span className="file-words lines">
          {preview ? (
            <a className="file-link quiet-link" href={fileAddress(shareId, file.id, true)} onClick={open}>
              <bdi>{shownName}</bdi>
            </a>
          ) : (
            <a className="file-link quiet-link" href={address} download onClick={open}>
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

interface FolderProps extends PickProps {
  t: TFunction
  texts: RowTexts
  entry: Entry
  position?: RowPosition | undefined
  address: string
  /** The address of the folder's zip. */
  zip: string
}

/** Shows a folder with the number and size of its files. */
export function FolderRow({ t, texts, entry, position, address, zip, picked, isOn, onPick }: FolderProps) {
  const size = formatBytes(entry.size)
  const name = showInvisible(entry.name)
  const key = keyOf(entry)
  const open = (event: MouseEvent) => openOrPick(event, { key, isOn, onPick })
  return (
    <tr ref={position?.ref} {...rowNumber(position?.index)}>
      <th scope="row" className="file-name line">
        <span className="file-icon tile">
          <RepeatedIcon name="folder" />
          {onPick && <PickBox label={texts.selectOf(name)} picked={picked ?? false} onPick={(extend) => onPick(key, extend)} />}
        </span>
        <span className="file-words lines">
          <Link className="file-link quiet-link" href={address} onClickCapture={open}>
            <bdi>{name}</bdi>
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
        <a className="icon-button" href={zip} download aria-label={texts.downloadOf(name)} title={texts.download}>
          <RepeatedIcon name="download" />
        </a>
        <RepeatedIcon name="chevron" />
      </td>
    </tr>
  )
}

/** Returns the row number for screen readers, which count the table head as the first row. */
function rowNumber(index: number | undefined) {
  return index === undefined ? {} : { 'data-index': index, 'aria-rowindex': index + 2 }
}

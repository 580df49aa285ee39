import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/Icon.tsx'
import { useHydrated } from '../../lib/hydration.tsx'
import { folderPath, zipAddress } from '../../lib/share-addresses.ts'
import type { EntriesProps } from './FileList.tsx'
import { FileRow, FolderRow, type RowPosition, rowTexts } from './FileRow.tsx'
import { type Entry, keyOf, type Order, pathIn, VIRTUALIZE_FROM } from './folders.ts'
import { LongRows } from './LongRows.tsx'

interface Props extends EntriesProps {
  order: Order
  onSort(order: Order): void
}

/** Shows files and folders as a table that can be sorted. */
export function FileTable({ shareId, folder, entries, selection, order, onSort, onPreview, onShowLink }: Props) {
  const { t } = useTranslation()
  const texts = useMemo(() => rowTexts(t), [t])
  const row = (entry: Entry, position?: RowPosition) => {
    const path = pathIn(folder, entry.name)
    const pick = selection && { picked: selection.pickedOf(entry), isOn: selection.isOn, onPick: selection.pick }
    return entry.file ? (
      <FileRow
        key={entry.file.id}
        texts={texts}
        index={position?.index}
        measure={position?.ref}
        shareId={shareId}
        file={entry.file}
        name={entry.name}
        {...pick}
        onPreview={onPreview}
        onShowLink={onShowLink}
      />
    ) : (
      <FolderRow
        key={keyOf(entry)}
        t={t}
        texts={texts}
        entry={entry}
        position={position}
        address={folderPath(shareId, path)}
        zip={zipAddress(shareId, path)}
        {...pick}
      />
    )
  }
  return (
    <table className="file-table" aria-rowcount={entries.length > VIRTUALIZE_FROM ? entries.length + 1 : undefined}>
      <thead>
        <tr>
          <SortHead by="name" order={order} onSort={onSort} />
          <SortHead by="size" order={order} onSort={onSort} />
          <th scope="col">
            <span className="visually-hidden">{t('share.actions')}</span>
          </th>
        </tr>
      </thead>
      {entries.length > VIRTUALIZE_FROM ? (
        <LongRows entries={entries}>{row}</LongRows>
      ) : (
        <tbody>{entries.map((entry) => row(entry))}</tbody>
      )}
    </table>
  )
}

interface HeadProps {
  by: Order['by']
  order: Order
  onSort(order: Order): void
}

function SortHead({ by, order, onSort }: HeadProps) {
  const { t } = useTranslation()
  const hydrated = useHydrated()
  const active = order.by === by
  const direction = order.descending ? 'descending' : 'ascending'
  return (
    <th scope="col" className={by === 'size' ? 'file-size-head' : undefined} aria-sort={active ? direction : undefined}>
      <button
        type="button"
        className="text-button sort line"
        disabled={!hydrated}
        onClick={() => onSort({ by, descending: active && !order.descending })}
      >
        {t(`share.sort.${by}`)}
        <span className={`sort-mark ${active ? direction : ''}`}>
          <Icon name="down" size={16} />
        </span>
      </button>
    </th>
  )
}

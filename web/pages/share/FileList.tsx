import { lazy, Suspense, useCallback, useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'wouter'
import type { SharePage } from '../../../src/shares/contract.ts'
import { Icon, IconSymbols } from '../../components/Icon.tsx'
import { fileKinds, isPreviewable } from '../../lib/file-kinds.ts'
import { useHydrated } from '../../lib/hydration.tsx'
import { useLast } from '../../lib/last.ts'
import { folderAddress } from '../../lib/share-addresses.ts'
import { start } from '../../start.ts'
import { FileRow, FolderRow, type Place, rowTexts } from './FileRow.tsx'
import { FolderPath } from './FolderPath.tsx'
import { type Entry, findFiles, listFolder, long, many, type Order, type SharedFile, screenful } from './folders.ts'

const SearchField = lazy(async () => ({ default: (await import('../../components/SearchField.tsx')).SearchField }))
const LongRows = lazy(async () => ({ default: (await import('./LongRows.tsx')).LongRows }))
const PreviewDialog = lazy(async () => ({ default: (await import('./preview/PreviewDialog.tsx')).PreviewDialog }))

const rowIcons = [...fileKinds, 'folder', 'chevron', 'link', 'download'] as const

/** The state of a page in the history that shows a file: the list is one step back. */
const fromList = 'from the list'

const inFolder = (path: string): Record<string, string> => (path === '' ? {} : { folder: path })

interface Props {
  share: SharePage
  onShowLink(fileId: string, name: string): void
}

/** The files of one folder of a share, in the order that the reader chooses. */
export function FileList({ share, onShowLink }: Props) {
  const { t } = useTranslation()
  const [search, setSearch] = useSearchParams()
  const folder = search.get('folder') ?? ''
  const hydrated = useHydrated()
  const [order, setOrder] = useState<Order>({ by: 'name', descending: false })
  const shown = (hydrated && share.files.find(({ id, name }) => id === search.get('preview') && isPreviewable(name))) || null
  const last = useLast(shown)
  const [typed, setTyped] = useState('')
  const wanted = useDeferredValue(typed.trim())
  const entries = useMemo(
    () => (wanted ? findFiles(share.files, wanted, order, start.language) : listFolder(share.files, folder, order, start.language)),
    [share.files, folder, order, wanted],
  )
  const previewable = useMemo(() => entries.flatMap(({ file }) => (file && isPreviewable(file.name) ? [file] : [])), [entries])
  const preview = useCallback(
    ({ id }: SharedFile) => setSearch({ ...inFolder(folder), preview: id }, { state: fromList }),
    [setSearch, folder],
  )
  const closePreview = () => (history.state === fromList ? history.back() : setSearch(inFolder(folder), { replace: true }))
  const texts = useMemo(() => rowTexts(t), [t])
  const row = (entry: Entry, place?: Place) =>
    entry.file ? (
      <FileRow
        key={entry.file.id}
        texts={texts}
        index={place?.index}
        measure={place?.ref}
        shareId={share.id}
        file={entry.file}
        name={entry.name}
        onPreview={preview}
        onShowLink={onShowLink}
      />
    ) : (
      <FolderRow
        key={`${entry.name}/`}
        t={t}
        entry={entry}
        place={place}
        address={folderAddress(share.id, folder === '' ? entry.name : `${folder}/${entry.name}`)}
      />
    )
  const firstRows = <tbody>{(entries.length > long ? entries.slice(0, screenful) : entries).map((entry) => row(entry))}</tbody>

  return (
    <section className="files card" aria-label={t('share.fileList')}>
      {share.files.length > many && (
        <div className="file-search">
          {hydrated && (
            <Suspense>
              <SearchField label={t('share.search')} value={typed} onChange={setTyped} />
            </Suspense>
          )}
          <span className="visually-hidden" role="status">
            {wanted && t('share.files', { count: entries.length })}
          </span>
        </div>
      )}
      {folder !== '' && !wanted && <FolderPath shareId={share.id} folder={folder} />}
      <table className="file-table" aria-rowcount={entries.length > long ? entries.length + 1 : undefined}>
        <thead>
          <tr>
            <SortHead by="name" order={order} onSort={setOrder} />
            <SortHead by="size" order={order} onSort={setOrder} />
            <th scope="col">
              <span className="visually-hidden">{t('share.actions')}</span>
            </th>
          </tr>
        </thead>
        {entries.length > long && hydrated ? (
          <Suspense fallback={firstRows}>
            <LongRows entries={entries}>{row}</LongRows>
          </Suspense>
        ) : (
          firstRows
        )}
      </table>
      <IconSymbols names={rowIcons} />
      {entries.length === 0 && <p className="soft files-none">{t(wanted ? 'share.noMatch' : 'share.emptyFolder')}</p>}
      <Suspense>
        {last && (
          <PreviewDialog key={last.id} open={shown !== null} shareId={share.id} files={previewable} first={last} onClose={closePreview} />
        )}
      </Suspense>
    </section>
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
    <th scope="col" className={`file-${by}-head`} aria-sort={active ? direction : undefined}>
      <button
        type="button"
        className="text-button sort"
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

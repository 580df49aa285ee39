import { lazy, Suspense, useCallback, useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'wouter'
import type { SharedFile, SharePage } from '../../../src/shares/contract.ts'
import { Icon, IconSymbols } from '../../components/Icon.tsx'
import { fileKinds, isPreviewable } from '../../lib/file-kinds.ts'
import { useHydrated } from '../../lib/hydration.tsx'
import { useLast } from '../../lib/last.ts'
import { folderPath } from '../../lib/share-addresses.ts'
import { start } from '../../start.ts'
import { FileRow, FolderRow, type RowPosition, rowTexts } from './FileRow.tsx'
import { FolderPath } from './FolderPath.tsx'
import { type Entry, findFiles, listFolder, type Order, SEARCH_FROM, VIRTUALIZE_FROM } from './folders.ts'
import { LongRows } from './LongRows.tsx'

const SearchField = lazy(async () => ({ default: (await import('../../components/SearchField.tsx')).SearchField }))
const PreviewDialog = lazy(async () => ({ default: (await import('./preview/PreviewDialog.tsx')).PreviewDialog }))

const rowIcons = [...fileKinds, 'folder', 'chevron', 'link', 'download'] as const

/** History state of a preview that was opened from the list, so that closing it goes back. */
const fromList = 'from the list'

const folderParams = (path: string): Record<string, string> => (path === '' ? {} : { folder: path })

interface Props {
  share: SharePage
  onShowLink(fileId: string, name: string): void
}

/** Lists one folder of a share, with sorting, search and previews. */
export function FileList({ share, onShowLink }: Props) {
  const { t } = useTranslation()
  const [params, setParams] = useSearchParams()
  const folder = params.get('folder') ?? ''
  const hydrated = useHydrated()
  const [order, setOrder] = useState<Order>({ by: 'name', descending: false })
  const previewed = (hydrated && share.files.find(({ id, name }) => id === params.get('preview') && isPreviewable(name))) || null
  const last = useLast(previewed)
  const [typed, setTyped] = useState('')
  const query = useDeferredValue(typed.trim())
  const entries = useMemo(
    () => (query ? findFiles(share.files, query, order, start.language) : listFolder(share.files, folder, order, start.language)),
    [share.files, folder, order, query],
  )
  const previewable = useMemo(() => entries.flatMap(({ file }) => (file && isPreviewable(file.name) ? [file] : [])), [entries])
  const preview = useCallback(
    ({ id }: SharedFile) => setParams({ ...folderParams(folder), preview: id }, { state: fromList }),
    [setParams, folder],
  )
  const closePreview = () => (history.state === fromList ? history.back() : setParams(folderParams(folder), { replace: true }))
  const texts = useMemo(() => rowTexts(t), [t])
  const row = (entry: Entry, position?: RowPosition) =>
    entry.file ? (
      <FileRow
        key={entry.file.id}
        texts={texts}
        index={position?.index}
        measure={position?.ref}
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
        position={position}
        address={folderPath(share.id, folder === '' ? entry.name : `${folder}/${entry.name}`)}
      />
    )

  return (
    <section className="files card" aria-label={t('share.fileList')}>
      {share.files.length > SEARCH_FROM && (
        <div className="file-search">
          {hydrated && (
            <Suspense>
              <SearchField label={t('share.search')} value={typed} onChange={setTyped} />
            </Suspense>
          )}
          <span className="visually-hidden" role="status">
            {query && t('share.files', { count: entries.length })}
          </span>
        </div>
      )}
      {folder !== '' && !query && <FolderPath shareId={share.id} folder={folder} />}
      <table className="file-table" aria-rowcount={entries.length > VIRTUALIZE_FROM ? entries.length + 1 : undefined}>
        <thead>
          <tr>
            <SortHead by="name" order={order} onSort={setOrder} />
            <SortHead by="size" order={order} onSort={setOrder} />
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
      <IconSymbols names={rowIcons} />
      {entries.length === 0 && <p className="soft files-none">{t(query ? 'share.noMatch' : 'share.emptyFolder')}</p>}
      <Suspense>
        {last && (
          <PreviewDialog
            key={last.id}
            open={previewed !== null}
            shareId={share.id}
            files={previewable}
            first={last}
            onClose={closePreview}
          />
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

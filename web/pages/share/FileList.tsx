import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'wouter'
import type { SharePage } from '../../../src/shares/contract.ts'
import { Icon } from '../../components/Icon.tsx'
import { useLast } from '../../last.ts'
import { start } from '../../start.ts'
import { FileRow, FolderRow } from './FileRow.tsx'
import { FolderPath } from './FolderPath.tsx'
import { isPreviewable } from './file-kinds.ts'
import { listFolder, type Order, type SharedFile } from './folders.ts'
import { useGrowing } from './growing.ts'

const PreviewDialog = lazy(async () => ({ default: (await import('./preview/PreviewDialog.tsx')).PreviewDialog }))

interface Props {
  share: SharePage
  onShowLink(fileId: string, name: string): void
}

/** The files of one folder of a share, in the order that the reader chooses. */
export function FileList({ share, onShowLink }: Props) {
  const { t } = useTranslation()
  const [search, setSearch] = useSearchParams()
  const folder = search.get('folder') ?? ''
  const [order, setOrder] = useState<Order>({ by: 'name', descending: false })
  const [shown, setShown] = useState<SharedFile | null>(null)
  const last = useLast(shown)
  const entries = useMemo(() => listFolder(share.files, folder, order, start.language), [share.files, folder, order])
  const { visible, more, sentinel } = useGrowing(entries, folder)
  const previewable = useMemo(() => entries.flatMap(({ file }) => (file && isPreviewable(file.name) ? [file] : [])), [entries])
  const openFolder = (path: string) => setSearch(path === '' ? {} : { folder: path })

  return (
    <section className="files card" aria-label={t('share.fileList')}>
      {folder !== '' && <FolderPath folder={folder} onOpen={openFolder} />}
      <table className="file-table">
        <thead>
          <tr>
            <SortHead by="name" order={order} onSort={setOrder} />
            <SortHead by="size" order={order} onSort={setOrder} />
            <th scope="col">
              <span className="visually-hidden">{t('share.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {visible.map((entry) =>
            entry.file ? (
              <FileRow
                key={entry.file.id}
                shareId={share.id}
                file={entry.file}
                name={entry.name}
                onPreview={setShown}
                onShowLink={onShowLink}
              />
            ) : (
              <FolderRow
                key={`${entry.name}/`}
                entry={entry}
                onOpen={() => openFolder(folder === '' ? entry.name : `${folder}/${entry.name}`)}
              />
            ),
          )}
        </tbody>
      </table>
      {entries.length === 0 && <p className="soft files-none">{t('share.emptyFolder')}</p>}
      {more && (
        <button type="button" className="text-button files-more" ref={sentinel} onClick={more}>
          {t('share.more', { count: entries.length - visible.length })}
        </button>
      )}
      <Suspense>
        {last && (
          <PreviewDialog
            key={last.id}
            open={shown !== null}
            shareId={share.id}
            files={previewable}
            first={last}
            onClose={() => setShown(null)}
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
  const active = order.by === by
  const direction = order.descending ? 'descending' : 'ascending'
  return (
    <th scope="col" className={`file-${by}-head`} aria-sort={active ? direction : undefined}>
      <button type="button" className="text-button sort" onClick={() => onSort({ by, descending: active && !order.descending })}>
        {t(`share.sort.${by}`)}
        <span className={`sort-mark ${active ? direction : ''}`}>
          <Icon name="down" size={16} />
        </span>
      </button>
    </th>
  )
}

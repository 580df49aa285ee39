import { lazy, Suspense, useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { StartShare } from '../../../src/downloads/contract.ts'
import type { FileView } from '../../../src/pages/page-html.ts'
import type { SharedFile } from '../../../src/shares/contract.ts'
import { IconSymbols } from '../../components/Icon.tsx'
import { fileKinds, isPreviewable } from '../../lib/file-kinds.ts'
import { useHydrated } from '../../lib/hydration.tsx'
import { storePreference } from '../../lib/preferences.ts'
import { start } from '../../start.ts'
import { FileTable } from './FileTable.tsx'
import { FileTools } from './FileTools.tsx'
import { FolderPath } from './FolderPath.tsx'
import { type Entry, findFiles, listShare, type Order, SEARCH_FROM } from './folders.ts'
import { FileGrid } from './grid/FileGrid.tsx'
import { viewOf } from './grid/view.ts'
import { type Selection, useSelection } from './selection/use-selection.ts'
import { useViewedFile } from './use-viewed-file.ts'

const SearchField = lazy(async () => ({ default: (await import('../../components/SearchField.tsx')).SearchField }))
const SelectionBar = lazy(async () => ({ default: (await import('./selection/SelectionBar.tsx')).SelectionBar }))
const Viewer = lazy(async () => ({ default: (await import('./viewer/Viewer.tsx')).Viewer }))

const rowIcons = [...fileKinds, 'folder', 'chevron', 'link', 'download', 'play'] as const

/** What a list and a grid of files need. */
export interface EntriesProps {
  shareId: string
  folder: string
  entries: readonly Entry[]
  /** null: there is nothing to select from. */
  selection: Selection | null
  onPreview(file: SharedFile): void
  onShowLink(fileId: string, name: string): void
}

interface Props {
  share: StartShare
  onShowLink(fileId: string, name: string): void
}

/** Shows one folder of a share as a list or a grid, with sorting, search, selection and a viewer. */
export function FileList({ share, onShowLink }: Props) {
  const { t } = useTranslation()
  const hydrated = useHydrated()
  const { viewed, folder, view: openViewer, step, close } = useViewedFile(share.files)
  const [order, setOrder] = useState<Order>({ by: 'name', descending: false })
  const [typed, setTyped] = useState('')
  const query = useDeferredValue(typed.trim())
  const inFolder = useMemo(() => listShare(share, folder, order, start.language), [share, folder, order])
  const entries = useMemo(
    () => (query ? findFiles(share.files, query, order, start.language) : inFolder),
    [share.files, inFolder, order, query],
  )
  const usualView = useMemo(() => viewOf(share.id, inFolder), [share.id, inFolder])
  const [chosenView, setChosenView] = useState<FileView | null>(start.fileView)
  const view = chosenView ?? usualView
  const chooseView = (chosen: FileView) => {
    storePreference('file_view', chosen)
    setChosenView(chosen)
  }
  const selection = useSelection(share.files, entries, query ? '' : folder)
  const isLoaded = share.overview === undefined
  const fileCount = share.overview?.fileCount ?? share.files.length
  const isSelectable = fileCount > 1
  const shown: EntriesProps = {
    shareId: share.id,
    folder: query ? '' : folder,
    entries,
    selection: isSelectable && isLoaded ? selection : null,
    onPreview: openViewer,
    onShowLink,
  }
  return (
    <section className={`files card ${selection.isOn ? 'selecting' : ''}`} aria-label={t('share.fileList')}>
      <div className="file-head">
        {fileCount > SEARCH_FROM && (
          <div className="file-search">
            {hydrated && isLoaded && (
              <Suspense>
                <SearchField label={t('share.search')} value={typed} onChange={setTyped} />
              </Suspense>
            )}
            <span className="visually-hidden" role="status">
              {query && t('share.files', { count: entries.length })}
            </span>
          </div>
        )}
        {isSelectable && <FileTools view={view} selection={selection} isLoaded={isLoaded} onView={chooseView} />}
        {folder !== '' && !query && <FolderPath shareId={share.id} folder={folder} />}
      </div>
      {view === 'grid' ? <FileGrid {...shown} /> : <FileTable {...shown} order={order} onSort={setOrder} />}
      <IconSymbols names={rowIcons} />
      {entries.length === 0 && isLoaded && <p className="soft files-none">{t(query ? 'share.noMatch' : 'share.emptyFolder')}</p>}
      <Suspense>{selection.isOn && <SelectionBar share={share} selection={selection} />}</Suspense>
      <Suspense>
        {viewed && (
          <Viewer
            shareId={share.id}
            files={viewable(entries, viewed)}
            file={viewed}
            onStep={step}
            onClose={close}
            onShowLink={onShowLink}
          />
        )}
      </Suspense>
    </section>
  )
}

/** Returns the files that the viewer steps through. */
function viewable(entries: readonly Entry[], viewed: SharedFile): SharedFile[] {
  return entries.flatMap(({ file }) => (file && (isPreviewable(file.name) || file.id === viewed.id) ? [file] : []))
}

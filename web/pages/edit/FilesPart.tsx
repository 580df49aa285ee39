import { memo, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import type { FileView } from '../../../uploader/types.ts'
import { FileRows } from '../../components/files/FileRows.tsx'
import { PickButtons } from '../../components/files/PickButtons.tsx'
import { useIncomingFiles } from '../../components/files/use-incoming-files.ts'
import { Icon } from '../../components/Icon.tsx'
import { formatBytes } from '../../lib/format.ts'
import { EditRow } from './EditRow.tsx'
import type { EditUpload } from './edit-uploads.ts'
import { rowsOf, withSending } from './rows.ts'
import { SendingPart } from './SendingPart.tsx'
import { useFileChanges } from './use-file-changes.ts'

const nothing: readonly FileView[] = []
const never = () => () => {}

interface Props {
  share: OwnerPage
  upload: EditUpload | null
}

/** The files of a share: to add to, to name anew, and to take away. What is typed beside them does not concern them. */
export const FilesPart = memo(function FilesPart({ share, upload }: Props) {
  const { t } = useTranslation()
  const files = useFileChanges(share.id)
  const over = useIncomingFiles(true, files.add)
  const sending = useSyncExternalStore(upload?.uploader.subscribe ?? never, () => upload?.uploader.getSnapshot().files ?? nothing)
  const stored = useMemo(() => rowsOf(share), [share])
  const rows = withSending(stored, sending, new Set(upload?.ids.values()))
  const box = useKeptFocus(rows.length)
  return (
    <section className={over ? 'card edit-files chosen-over' : 'card edit-files'} aria-labelledby="edit-files" ref={box}>
      <header className="edit-files-head">
        <div>
          <h2 id="edit-files">{t('share.files', { count: share.files.length })}</h2>
          <p className="soft">{t('edit.sizeOf', { size: formatBytes(share.size), max: formatBytes(share.maxSize) })}</p>
        </div>
        <div className="actions">
          <PickButtons onFiles={files.add} />
        </div>
      </header>
      {upload && <SendingPart uploader={upload.uploader} />}
      {share.unfinishedFiles.length > 0 && !upload && (
        <p className="notice" role="status">
          <Icon name="clock" />
          <span>{t('edit.interrupted')}</span>
        </p>
      )}
      <FileRows label={t('upload.files')} items={rows} keyOf={({ key }) => key}>
        {(row) => <EditRow row={row} uploader={upload?.uploader ?? null} files={files} />}
      </FileRows>
      <p className="soft edit-drop-hint">{t(over ? 'upload.dropNow' : 'edit.dropHint')}</p>
    </section>
  )
})

/** A row that goes takes the focus with it: the list has it then. */
function useKeptFocus(rows: number) {
  const box = useRef<HTMLElement>(null)
  const hadFocus = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the list
  useEffect(() => {
    if (hadFocus.current && document.activeElement === document.body)
      box.current?.querySelector<HTMLElement>('.rows')?.focus({ preventScroll: true })
  }, [rows])
  useEffect(() => {
    const note = () => {
      hadFocus.current = box.current?.contains(document.activeElement) ?? false
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [])
  return box
}

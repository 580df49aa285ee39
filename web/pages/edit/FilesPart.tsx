import { memo, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import type { FileView } from '../../../uploader/types.ts'
import { canDrop } from '../../components/files/can-drop.ts'
import { FileRows } from '../../components/files/FileRows.tsx'
import { PhotoDataSwitch } from '../../components/files/PhotoDataSwitch.tsx'
import { PickButtons } from '../../components/files/PickButtons.tsx'
import { useIncomingFiles } from '../../components/files/use-incoming-files.ts'
import { Icon } from '../../components/Icon.tsx'
import { formatBytes } from '../../lib/format.ts'
import { EditRow } from './EditRow.tsx'
import type { EditUpload } from './edit-uploads.ts'
import { isElsewhere, rowsOf, withUploads } from './rows.ts'
import type { ShareEditor } from './share-editor.ts'
import { UploadPart } from './UploadPart.tsx'
import { useFileChanges } from './use-file-changes.ts'

const noFiles: readonly FileView[] = []
const subscribeToNothing = () => () => {}

interface Props {
  share: OwnerPage
  editor: ShareEditor
  upload: EditUpload | null
}

/**
 * Lists the files of a share, which can be added, renamed and removed. Typing in the form does not
 * render it again.
 */
export const FilesPart = memo(function FilesPart({ share, editor, upload }: Props) {
  const { t } = useTranslation()
  const files = useFileChanges(share.id, editor)
  const over = useIncomingFiles(true, files.add)
  const uploading = useSyncExternalStore(
    upload?.uploader.subscribe ?? subscribeToNothing,
    () => upload?.uploader.getSnapshot().files ?? noFiles,
  )
  const stored = useMemo(() => rowsOf(share), [share])
  const rows = withUploads(stored, uploading, new Set(upload?.ids.values()))
  const box = useKeptFocus(rows.length)
  return (
    <section className={over ? 'card edit-files stack chosen-over' : 'card edit-files stack'} aria-labelledby="edit-files" ref={box}>
      <header className="edit-files-head spread toolbar">
        <div>
          <h2 id="edit-files">{t('share.files', { count: share.files.length })}</h2>
          <p className="soft">{t('edit.sizeOf', { size: formatBytes(share.size), max: formatBytes(share.maxSize) })}</p>
        </div>
        <div className="actions">
          <PickButtons onFiles={files.add} />
        </div>
      </header>
      {upload && <UploadPart uploader={upload.uploader} />}
      {!upload && <Unfinished share={share} />}
      <FileRows label={t('upload.files')} items={rows} keyOf={({ key }) => key}>
        {(row) => <EditRow row={row} uploader={upload?.uploader ?? null} files={files} />}
      </FileRows>
      <PhotoDataSwitch />
      {canDrop && <p className="soft edit-drop-hint small">{t(over ? 'upload.dropNow' : 'edit.dropHint')}</p>}
    </section>
  )
})

/** Says that files are unfinished, and what to do about them. */
function Unfinished({ share: { id, unfinishedFiles } }: { share: OwnerPage }) {
  const { t } = useTranslation()
  const elsewhere = unfinishedFiles.filter((file) => isElsewhere(id, file)).length
  const texts = [
    elsewhere < unfinishedFiles.length && t('edit.interrupted'),
    elsewhere > 0 && t('edit.elsewhere', { count: elsewhere }),
  ].filter((text) => text !== false)
  return texts.map((text) => (
    <p key={text} className="notice" role="status">
      <Icon name="clock" />
      <span>{text}</span>
    </p>
  ))
}

/** Moves the focus to the list when the focused row was removed. */
function useKeptFocus(rows: number) {
  const box = useRef<HTMLElement>(null)
  const hadFocus = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the list
  useEffect(() => {
    if (hadFocus.current && document.activeElement === document.body)
      box.current?.querySelector<HTMLElement>('.rows')?.focus({ preventScroll: true })
  }, [rows])
  useEffect(() => {
    const rememberFocus = () => {
      hadFocus.current = box.current?.contains(document.activeElement) ?? false
    }
    document.addEventListener('focusin', rememberFocus)
    return () => document.removeEventListener('focusin', rememberFocus)
  }, [])
  return box
}

import { type Ref, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { SharedFile } from '../../../src/shares/contract.ts'
import type { Uploader } from '../../../uploader/uploader.ts'
import { FileLabel } from '../../components/files/FileLabel.tsx'
import { UploadRow } from '../../components/files/UploadRow.tsx'
import { Icon } from '../../components/Icon.tsx'
import type { IconName } from '../../components/icon-paths.ts'
import { formatBytes } from '../../lib/format.ts'
import { RenameField } from './RenameField.tsx'
import type { OwnFile, Row } from './rows.ts'
import type { FileChanges } from './use-file-changes.ts'

interface Props {
  row: Row
  uploader: Uploader | null
  files: FileChanges
}

/** One file of a share that can be edited. */
export function EditRow({ row, uploader, files }: Props) {
  const { t } = useTranslation()
  if (row.kind === 'uploading') return uploader && <UploadRow file={row.view} uploader={uploader} open />
  if (row.kind === 'unfinished')
    return <UnfinishedFile file={row.file} isElsewhere={row.isElsewhere} onRemove={() => files.remove(row.file.id)} />
  const { id, name } = row.file
  const removed = row.kind === 'removed'
  return (
    <>
      {removed ? <RemovedFile file={row.file} /> : <KeptFile file={row.file} rename={(name) => files.rename(id, name)} />}
      <RowButton
        icon={removed ? 'undo' : 'trash'}
        title={t(removed ? 'edit.undo' : 'edit.remove')}
        label={t(removed ? 'edit.undoOf' : 'upload.remove', { name: showInvisible(name) })}
        danger={!removed}
        onClick={() => (removed ? files.keep(id) : files.remove(id))}
      />
    </>
  )
}

function KeptFile({ file, rename }: { file: OwnFile; rename(name: string): Promise<unknown> }) {
  const { t } = useTranslation()
  const [renaming, setRenaming] = useState(false)
  const renameButton = useRef<HTMLButtonElement>(null)
  const wasRenaming = useRef(false)
  useEffect(() => {
    if (wasRenaming.current && !renaming) renameButton.current?.focus({ preventScroll: true })
    wasRenaming.current = renaming
  }, [renaming])
  const { name, size, published, olderName } = file
  if (renaming) return <RenameField name={name} rename={rename} onEnd={() => setRenaming(false)} />
  const note = (
    <>
      {!published && <span className="row-new">{t('edit.new')} · </span>}
      {formatBytes(Number(size))}
      {olderName !== null && ` · ${t('edit.olderName', { name: showInvisible(withoutSameFolder(olderName, name)) })}`}
    </>
  )
  return (
    <>
      <FileLabel name={name} note={note} />
      <RowButton
        ref={renameButton}
        icon="pencil"
        title={t('edit.rename')}
        label={t('edit.renameOf', { name: showInvisible(name) })}
        onClick={() => setRenaming(true)}
      />
    </>
  )
}

/** Returns an older name without its folders if the file is still in them. */
function withoutSameFolder(olderName: string, name: string): string {
  const folder = name.slice(0, name.lastIndexOf('/') + 1)
  const rest = olderName.slice(folder.length)
  return olderName.startsWith(folder) && !rest.includes('/') ? rest : olderName
}

function RemovedFile({ file: { name } }: { file: SharedFile }) {
  const { t } = useTranslation()
  return (
    <div className="row-gone words">
      <FileLabel name={name} note={t('edit.goes')} />
    </div>
  )
}

interface UnfinishedProps {
  file: SharedFile
  isElsewhere: boolean
  onRemove(): void
}

function UnfinishedFile({ file: { name, size }, isElsewhere, onRemove }: UnfinishedProps) {
  const { t } = useTranslation()
  const problem = t(isElsewhere ? 'edit.unfinishedElsewhere' : 'edit.unfinished')
  return (
    <>
      <FileLabel name={name} note={<span className="row-problem">{`${formatBytes(Number(size))} · ${problem}`}</span>} />
      <RowButton
        icon="trash"
        title={t('edit.remove')}
        label={t('upload.remove', { name: showInvisible(name) })}
        danger
        onClick={onRemove}
      />
    </>
  )
}

interface ButtonProps {
  ref?: Ref<HTMLButtonElement>
  icon: IconName
  title: string
  label: string
  danger?: boolean
  onClick(): void
}

function RowButton({ ref, icon, title, label, danger, onClick }: ButtonProps) {
  return (
    <button
      ref={ref}
      type="button"
      className={danger ? 'icon-button icon-button-danger' : 'icon-button'}
      title={title}
      aria-label={label}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

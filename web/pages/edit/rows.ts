import type { OwnerPage, SharedFile } from '../../../src/shares/contract.ts'
import type { FileView } from '../../../uploader/types.ts'
import { start } from '../../start.ts'
import { begunFile } from './begun-files.ts'

export type OwnFile = OwnerPage['files'][number]
type StoredRow =
  /** `isElsewhere`: another browser has begun it, so this one can't continue it. */
  | { kind: 'unfinished'; key: string; file: SharedFile; isElsewhere: boolean }
  | { kind: 'file'; key: string; file: OwnFile }
  | { kind: 'removed'; key: string; file: SharedFile }
export type Row = StoredRow | { kind: 'uploading'; key: string; view: FileView }

/**
 * Returns the files on the server: interrupted ones first, then new ones, then published and
 * removed ones by name.
 */
export function rowsOf(share: OwnerPage): StoredRow[] {
  const file = (file: OwnFile) => ({ kind: 'file', key: file.id, file }) as const
  const added = share.files.filter(({ published }) => !published).map(file)
  const published = share.files.filter(({ published }) => published).map(file)
  const removed = share.removedFiles.map((file) => ({ kind: 'removed', key: file.id, file }) as const)
  const { compare } = new Intl.Collator(start.language, { numeric: true, sensitivity: 'base' })
  const byName = (a: { file: SharedFile }, b: { file: SharedFile }) => compare(a.file.name, b.file.name)
  return [
    ...share.unfinishedFiles.map((file) => ({ kind: 'unfinished', key: file.id, file, isElsewhere: isElsewhere(share.id, file) }) as const),
    ...added.toSorted(byName),
    ...[...published, ...removed].toSorted(byName),
  ]
}

/** Returns whether another browser has begun to add a file. */
export const isElsewhere = (shareId: string, { id }: SharedFile): boolean => begunFile(shareId, id) === null

/**
 * Returns the rows with the files of the running upload first. `uploadIds` are those that the
 * server already has.
 */
export function withUploads(stored: StoredRow[], uploads: readonly FileView[], uploadIds: ReadonlySet<string>): Row[] {
  if (uploads.length === 0 && uploadIds.size === 0) return stored
  const rows = uploads.map((view) => ({ kind: 'uploading', key: `uploading ${view.key}`, view }) as const)
  return [...rows, ...stored.filter(({ key }) => !uploadIds.has(key))]
}

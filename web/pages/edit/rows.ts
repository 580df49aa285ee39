import type { OwnerPage, SharedFile } from '../../../src/shares/contract.ts'
import type { FileView } from '../../../uploader/types.ts'
import { start } from '../../start.ts'

export type OwnFile = OwnerPage['files'][number]
export type StoredRow =
  | { kind: 'unfinished'; key: string; file: SharedFile }
  | { kind: 'file'; key: string; file: OwnFile }
  | { kind: 'removed'; key: string; file: SharedFile }
export type Row = StoredRow | { kind: 'sending'; key: string; view: FileView }

/** What the server has, in the order in which it is listed: what was cut off, what is new, and then the others, the removed ones in their place. */
export function rowsOf(share: OwnerPage): StoredRow[] {
  const file = (file: OwnFile) => ({ kind: 'file', key: file.id, file }) as const
  const fresh = share.files.filter(({ published }) => !published).map(file)
  const old = share.files.filter(({ published }) => published).map(file)
  const removed = share.removedFiles.map((file) => ({ kind: 'removed', key: file.id, file }) as const)
  const { compare } = new Intl.Collator(start.language, { numeric: true, sensitivity: 'base' })
  const byName = (a: { file: SharedFile }, b: { file: SharedFile }) => compare(a.file.name, b.file.name)
  return [
    ...share.unfinishedFiles.map((file) => ({ kind: 'unfinished', key: file.id, file }) as const),
    ...fresh.toSorted(byName),
    ...[...old, ...removed].toSorted(byName),
  ]
}

/** The rows with what is on its way before them, of which the server has some already (`sent`). */
export function withSending(stored: StoredRow[], sending: readonly FileView[], sent: ReadonlySet<string>): Row[] {
  if (sending.length === 0 && sent.size === 0) return stored
  const rows = sending.map((view) => ({ kind: 'sending', key: `sending ${view.key}`, view }) as const)
  return [...rows, ...stored.filter(({ key }) => !sent.has(key))]
}

/** Whether saving would change what visitors see of the files. */
export function hasFileChanges({ editing, files, removedFiles, unfinishedFiles }: OwnerPage): boolean {
  const changed = files.some(({ published, olderName }) => !published || olderName !== null)
  return editing && (changed || removedFiles.length > 0 || unfinishedFiles.length > 0)
}

import { join } from 'node:path'
import type { ObjectFinder } from '../core/bucket.ts'
import { findOnDisk } from '../core/disk.ts'
import { derivedUuid } from '../core/ids.ts'
import type { SourceFile } from '../core/source.ts'
import { type Row, text, time } from '../core/sqlite.ts'

/** Where Palmr's bytes are: in a folder up to 3.2, in a bucket, or both after an upgrade. */
export interface Bytes {
  folder: string
  bucket: ObjectFinder | null
}

/** Returns a file of a share or a reverse share. `name` has its folders. */
export function fileOf({ folder, bucket }: Bytes, owner: string, row: Row, name = text(row.name)): SourceFile {
  const [objectName, size] = [text(row.objectName), Number(row.size)]
  return {
    id: derivedUuid('palmr bytes', owner, text(row.id)),
    ...{ name, size, createdAt: time(row.createdAt) ?? new Date(0) },
    whenMissing: 'does not exist, or is encrypted,',
    async find() {
      const found = (await findOnDisk(folder, join(folder, diskName(objectName)))) ?? (await bucket?.find(objectName)) ?? null
      // Palmr can encrypt files in its folder. Their size then differs from the announced one.
      return found && found.size === size ? found : null
    },
  }
}

/** Palmr replaces some characters in the names of its folder. */
const diskName = (objectName: string) => objectName.replace(/[^a-zA-Z0-9\-_./]/g, '_')

/** A file's row, and its name with the folders of the share. */
export interface FileInShare {
  row: Row
  name: string
}

/** Finds files in folders. */
export class Folders {
  readonly #files: Map<string, Row[]>
  readonly #children: Map<string, Row[]>
  readonly #byId: Map<string, Row>

  constructor(files: Row[], folders: Row[]) {
    this.#files = Map.groupBy(files, ({ folderId }) => text(folderId))
    this.#children = Map.groupBy(folders, ({ parentId }) => text(parentId))
    this.#byId = new Map(folders.map((row) => [text(row.id), row]))
  }

  /** Returns all files below a folder. Their paths begin with the folder's name. */
  filesBelow(id: string): FileInShare[] {
    const top = this.#byId.get(id)
    if (!top) return []
    const found: FileInShare[] = []
    const pending = [{ id, path: text(top.name) }]
    const seen = new Set([id])
    for (const folder of pending) {
      for (const row of this.#files.get(folder.id) ?? []) found.push({ row, name: `${folder.path}/${text(row.name)}` })
      for (const child of this.#children.get(folder.id) ?? []) {
        if (seen.has(text(child.id))) continue
        seen.add(text(child.id))
        pending.push({ id: text(child.id), path: `${folder.path}/${text(child.name)}` })
      }
    }
    return found
  }
}

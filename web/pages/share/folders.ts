import type { SharePage } from '../../../src/shares/contract.ts'
import { start } from '../../start.ts'

export type SharedFile = SharePage['files'][number]

export interface Entry {
  kind: 'folder' | 'file'
  /** Within its folder. */
  name: string
  /** Bytes; of a folder all that is in it. */
  size: number
  /** Files in a folder; 1 for a file. */
  count: number
  /** null for a folder. */
  file: SharedFile | null
}

export interface Order {
  by: 'name' | 'size'
  descending: boolean
}

const collator = new Intl.Collator(start.language, { numeric: true, sensitivity: 'base' })

/** What lies in `folder` (`''`, or a path without slashes at its ends), folders first, in natural order: `2.jpg` before `10.jpg`. */
export function listFolder(files: readonly SharedFile[], folder: string, { by, descending }: Order): Entry[] {
  const inside = folder === '' ? '' : `${folder}/`
  const folders = new Map<string, Entry>()
  const entries: Entry[] = []
  for (const file of files) {
    if (!file.name.startsWith(inside)) continue
    const rest = file.name.slice(inside.length)
    const slash = rest.indexOf('/')
    const size = Number(file.size)
    if (slash < 0) {
      entries.push({ kind: 'file', name: rest, size, count: 1, file })
      continue
    }
    const name = rest.slice(0, slash)
    const known = folders.get(name)
    if (known) {
      known.size += size
      known.count++
    } else folders.set(name, { kind: 'folder', name, size, count: 1, file: null })
  }
  const direction = descending ? -1 : 1
  const byName = (a: Entry, b: Entry) => collator.compare(a.name, b.name)
  const compare = (a: Entry, b: Entry) => direction * (by === 'size' ? a.size - b.size || byName(a, b) : byName(a, b))
  return [...[...folders.values()].sort(compare), ...entries.sort(compare)]
}

import type { SharePage } from '../../../src/shares/contract.ts'

/** Files of a share that one would rather search. */
export const many = 20

/** Rows of a list that one would wait for. */
export const long = 100

/** Rows that are shown before all of a long list. */
export const screenful = 30

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

/** What lies in `folder` (`''`, or a path without slashes at its ends), folders first, in the language's natural order: `2.jpg` before `10.jpg`. */
export function listFolder(files: readonly SharedFile[], folder: string, order: Order, language: string): Entry[] {
  const [folders, entries] = gather(files, folder)
  const compare = comparison(order, language)
  return [...folders.sort(compare), ...entries.sort(compare)]
}

/** The files of the whole share whose path holds a text, whatever its case. */
export function findFiles(files: readonly SharedFile[], text: string, order: Order, language: string): Entry[] {
  const plain = (words: string) => words.normalize().toLocaleLowerCase(language)
  const wanted = plain(text)
  return files
    .filter(({ name }) => plain(name).includes(wanted))
    .map((file): Entry => ({ kind: 'file', name: file.name, size: Number(file.size), count: 1, file }))
    .sort(comparison(order, language))
}

function gather(files: readonly SharedFile[], folder: string): [folders: Entry[], files: Entry[]] {
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
  return [[...folders.values()], entries]
}

function comparison({ by, descending }: Order, language: string): (a: Entry, b: Entry) => number {
  const collator = new Intl.Collator(language, { numeric: true, sensitivity: 'base' })
  const byName = (a: Entry, b: Entry) => collator.compare(a.name, b.name)
  const compare = by === 'name' ? byName : (a: Entry, b: Entry) => a.size - b.size || byName(a, b)
  return descending ? (a, b) => compare(b, a) : compare
}

import type { StartShare } from '../../../src/downloads/contract.ts'
import type { SharedFile } from '../../../src/shares/contract.ts'

/** A share with more files than this has a search field. */
export const SEARCH_FROM = 20

/** A list with more rows than this renders only the visible ones. */
export const VIRTUALIZE_FROM = 100

/** Rows of such a list that are rendered first. */
export const INITIAL_ROWS = 30

export interface Entry {
  kind: 'folder' | 'file'
  /** Name within its folder. In search results it includes the folders. */
  name: string
  /** Bytes; for a folder, of all files in it. */
  size: number
  /** Files in a folder; 1 for a file. */
  count: number
  /** null for a folder. */
  file: SharedFile | null
}

/** Identifies an entry of a list. */
export function keyOf({ file, name }: Entry): string {
  return file?.id ?? `${name}/`
}

/** Returns the path of the folder that a file or folder is in; empty: in none. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}

/** Returns the path of a file or folder by its name in `folder`, which may be empty. */
export function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

export interface Order {
  by: 'name' | 'size'
  descending: boolean
}

/**
 * Lists the folders and files in `folder` (`''`, or a path without leading and trailing slashes),
 * folders first.
 * Names are sorted naturally in the language: `2.jpg` before `10.jpg`.
 */
export function listFolder(files: readonly SharedFile[], folder: string, order: Order, language: string): Entry[] {
  const [folders, entries] = groupByFolder(files, folder)
  const compare = comparison(order, language)
  return [...folders.sort(compare), ...entries.sort(compare)]
}

/**
 * Lists a folder of a share like `listFolder`. While only an overview is loaded, these are its first
 * entries, and none in other folders.
 */
export function listShare({ files, overview }: StartShare, folder: string, order: Order, language: string): Entry[] {
  if (!overview) return listFolder(files, folder, order, language)
  if (overview.folder !== folder) return []
  const folders = overview.folders.map((found): Entry => ({ ...found, kind: 'folder', file: null }))
  return [...folders.sort(comparison(order, language)), ...listFolder(files, folder, order, language)]
}

/** Finds the files of the whole share whose path contains a text, ignoring case. */
export function findFiles(files: readonly SharedFile[], text: string, order: Order, language: string): Entry[] {
  const normalize = (value: string) => value.normalize().toLocaleLowerCase(language)
  const query = normalize(text)
  return files
    .filter(({ name }) => normalize(name).includes(query))
    .map((file): Entry => ({ kind: 'file', name: file.name, size: Number(file.size), count: 1, file }))
    .sort(comparison(order, language))
}

function groupByFolder(files: readonly SharedFile[], folder: string): [folders: Entry[], files: Entry[]] {
  const prefix = folder === '' ? '' : `${folder}/`
  const folders = new Map<string, Entry>()
  const entries: Entry[] = []
  for (const file of files) {
    if (!file.name.startsWith(prefix)) continue
    const rest = file.name.slice(prefix.length)
    const slash = rest.indexOf('/')
    const size = Number(file.size)
    if (slash < 0) {
      entries.push({ kind: 'file', name: rest, size, count: 1, file })
      continue
    }
    const name = rest.slice(0, slash)
    const existing = folders.get(name)
    if (existing) {
      existing.size += size
      existing.count++
    } else folders.set(name, { kind: 'folder', name, size, count: 1, file: null })
  }
  return [[...folders.values()], entries]
}

const collators = new Map<string, Intl.Collator>() // the server renders many pages, and creating one is slow

function comparison({ by, descending }: Order, language: string): (a: Entry, b: Entry) => number {
  const collator = collators.get(language) ?? new Intl.Collator(language, { numeric: true, sensitivity: 'base' })
  collators.set(language, collator)
  const byName = (a: Entry, b: Entry) => collator.compare(a.name, b.name)
  const compare = by === 'name' ? byName : (a: Entry, b: Entry) => a.size - b.size || byName(a, b)
  return descending ? (a, b) => compare(b, a) : compare
}

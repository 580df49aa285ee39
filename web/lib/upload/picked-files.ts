import type { FileSource } from '../../../uploader/types.ts'
import type { TransferredItem } from '../stray-files.ts'

/** Milliseconds that reading files may hold the page at a time. */
const turnLength = 50
/** Dropped files that are read at a time. */
const filesAtOnce = 100

/**
 * Wraps a browser's file for the uploader. Its name includes the folders that were chosen with it.
 */
export function sourceOf(file: File, name = file.webkitRelativePath || file.name): FileSource {
  const { size, type, lastModified } = file
  const isWhole = (start: number, end: number) => start === 0 && end === size // a slice of each of many small files takes time
  return { name, size, type, lastModified, slice: (start, end) => (isWhole(start, end) ? file : file.slice(start, end)) }
}

/**
 * Wraps the files of a picker. Some browsers ask the disk for each size, which takes seconds for
 * thousands of files, so the page gets its turn meanwhile.
 */
export async function sourcesOf(files: readonly File[]): Promise<FileSource[]> {
  const sources: FileSource[] = []
  let pauseAt = performance.now() + turnLength
  for (const file of files) {
    sources.push(sourceOf(file))
    if (performance.now() < pauseAt) continue
    await new Promise((resolve) => setTimeout(resolve))
    pauseAt = performance.now() + turnLength
  }
  return sources
}

const byName = new Intl.Collator(undefined, { numeric: true }).compare

/** Sorts files by name within each folder, numbers by their value. Pickers list them in any order. */
export function inOrder(sources: readonly FileSource[]): FileSource[] {
  const paths = new Map(sources.map((source) => [source, source.name.split('/')]))
  return [...sources].sort((a, b) => comparePaths(paths.get(a) ?? [], paths.get(b) ?? []))
}

function comparePaths(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((segment, index) => segment !== b[index])
  return differs < 0 ? a.length - b.length : byName(a[differs] ?? '', b[differs] ?? '')
}

interface DroppedFiles {
  files: FileSource[]
  /** How many files and folders could not be read. */
  unreadable: number
}

/**
 * Returns the files of a drop or a paste, including those in dropped folders, sorted by name within
 * each folder.
 */
export async function filesIn(items: readonly TransferredItem[]): Promise<DroppedFiles> {
  const dropped: DroppedFiles = { files: [], unreadable: 0 }
  for (const item of items) {
    if (item instanceof File) dropped.files.push(sourceOf(item))
    else await collect([item], dropped)
  }
  return dropped
}

/** Adds the files of `entries`, and those in its folders, in their order. */
async function collect(entries: readonly FileSystemEntry[], into: DroppedFiles): Promise<void> {
  let files: FileSystemFileEntry[] = []
  const addFiles = async () => {
    for (const source of await Promise.all(files.map(readEntry))) {
      if (source) into.files.push(source)
      else into.unreadable++
    }
    files = []
  }
  for (const entry of entries) {
    if (isFile(entry)) files.push(entry)
    if (files.length === filesAtOnce || !isFile(entry)) await addFiles()
    if (isFile(entry)) continue
    const inside = await children(entry as FileSystemDirectoryEntry).catch(() => null)
    if (inside) await collect(inside, into)
    else into.unreadable++
  }
  await addFiles()
}

/** Returns null if the file can't be read. */
async function readEntry(entry: FileSystemFileEntry): Promise<FileSource | null> {
  const file = await fileOf(entry).catch(() => null)
  return file && sourceOf(file, entry.fullPath.replace(/^\//, ''))
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))

/**
 * Returns the entries of a directory. The browser reads them in batches and ends with an empty
 * batch.
 */
async function children(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (batch.length === 0) return all.sort((a, b) => byName(a.name, b.name))
    all.push(...batch)
  }
}

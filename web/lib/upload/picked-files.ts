import type { FileSource } from '../../../uploader/types.ts'

/** A browser's file to send, under the name that it has in its folder. */
export function sourceOf(file: File, name = file.webkitRelativePath || file.name): FileSource {
  const { size, type, lastModified } = file
  return { name, size, type, lastModified, slice: (start, end) => file.slice(start, end) }
}

export interface Gathered {
  files: FileSource[]
  /** How many files and folders could not be read. */
  unreadable: number
}

/**
 * The files of a drop or a paste, those in dropped folders included, in the order of their names there. Call it in the event's own turn:
 * later the browser has emptied the list.
 */
export async function filesIn(transfer: DataTransfer): Promise<Gathered> {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file')
  const picked = items.map((item) => item.webkitGetAsEntry() ?? item.getAsFile())
  const gathered: Gathered = { files: [], unreadable: 0 }
  for (const one of picked) {
    if (one instanceof File) gathered.files.push(sourceOf(one))
    else if (one) await gather(one, gathered)
  }
  return gathered
}

async function gather(entry: FileSystemEntry, into: Gathered): Promise<void> {
  try {
    if (isFile(entry)) into.files.push(sourceOf(await opened(entry), entry.fullPath.replace(/^\//, '')))
    else for (const child of await children(entry as FileSystemDirectoryEntry)) await gather(child, into)
  } catch {
    into.unreadable++
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const opened = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))

/** A directory is read in batches, of which an empty one is the last. */
async function children(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (batch.length === 0) return all.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
    all.push(...batch)
  }
}

import type { FileSource } from '../../../uploader/types.ts'
import { storeKept, takeKept } from '../../service-worker/received-files.ts'
import { session } from '../storage.ts'

const entry = 'keptFiles'

/**
 * Keeps files in this tab until the user has signed in, which loads a new page.
 *
 * @throws {DOMException} If there is not enough storage.
 */
export async function keepFiles(sources: readonly FileSource[]): Promise<void> {
  const tab = crypto.getRandomValues(new Uint32Array(4)).join('-') // randomUUID needs https
  const files = sources.map(({ name, size, type, lastModified, slice }) => ({
    name,
    bytes: slice(0, size).slice(0, size, type),
    lastModified,
  }))
  await storeKept(files, tab)
  session.set(entry, tab)
}

/** Returns the files that this tab has kept, once. */
export async function takeKeptFiles(): Promise<FileSource[]> {
  const tab = session.get(entry)
  if (tab === null) return []
  session.remove(entry)
  const files = await takeKept(tab).catch(() => [])
  return files.map(({ name, bytes, lastModified }) => ({
    name,
    size: bytes.size,
    type: bytes.type,
    lastModified,
    slice: (start, end) => bytes.slice(start, end),
  }))
}

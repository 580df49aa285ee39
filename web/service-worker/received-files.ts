import { inStore } from '../lib/indexed-db.ts'

// Passes files to the page that is opened next: those of the system's share menu, which the service
// worker receives, and those that a visitor dropped before signing in.
const stored = { database: 'received', store: 'files' }
const [latest, kept] = ['latest', 'kept']
const lifetime = 3_600_000 // ms

interface Received {
  files: File[]
  at: number
}

/** A dropped file, with its folders in the name. */
export interface KeptFile {
  name: string
  bytes: Blob
  lastModified: number
}

interface Kept {
  files: KeptFile[]
  at: number
  /** The tab in which they were dropped. */
  tab: string
}

/**
 * Stores files for the page that is opened next and replaces older ones.
 *
 * @throws {DOMException} If there is not enough storage.
 */
export async function storeReceived(files: File[]): Promise<void> {
  const received: Received = { files, at: Date.now() }
  await inStore(stored, 'readwrite', (files) => files.put(received, latest))
}

/** Returns the files that were stored within the last hour and deletes them. */
export async function takeReceived(): Promise<File[]> {
  const received = (await inStore(stored, 'readwrite', (files) => {
    const request = files.get(latest)
    files.delete(latest)
    return request
  })) as Received | undefined
  return received && isRecent(received) ? received.files : []
}

/**
 * Stores dropped files until the user of this tab has signed in.
 *
 * @throws {DOMException} If there is not enough storage.
 */
export async function storeKept(files: KeptFile[], tab: string): Promise<void> {
  const entry: Kept = { files, at: Date.now(), tab }
  await inStore(stored, 'readwrite', (files) => files.put(entry, kept))
}

/** Returns the files that were dropped in this tab within the last hour and deletes them. */
export async function takeKept(tab: string): Promise<KeptFile[]> {
  const entry = (await inStore(stored, 'readwrite', (files) => {
    const request = files.get(kept)
    files.delete(kept)
    return request
  })) as Kept | undefined
  return entry && entry.tab === tab && isRecent(entry) ? entry.files : []
}

const isRecent = ({ at }: { at: number }) => Date.now() - at < lifetime

/** Deletes the files, so that the next user of this browser does not see them. */
export function forgetReceived(): void {
  globalThis.indexedDB?.deleteDatabase(stored.database)
}

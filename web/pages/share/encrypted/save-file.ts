import { respondTo } from '../../../decryption/respond.ts'
import type { DecryptedShare } from '../../../decryption/share.ts'
import { ShownError } from '../../../lib/error-text.ts'
import { formatBytes } from '../../../lib/format.ts'
import { saveBytes } from '../../../lib/start-download.ts'

/** What is decrypted in memory where there is no other way, in bytes. */
const inMemoryMax = 500_000_000

interface SavePicker {
  /** File System Access, which Chromium has. */
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>
}

/**
 * Decrypts and saves what a link leads to, where no service worker can do that: into a file that
 * the visitor picks, or else into a private file of this site that is then saved, or else in
 * memory. A damaged file is never saved. Resolves to false if the visitor picks none.
 *
 * @throws {EncryptionError} `damaged`
 * @throws {ShownError} it is too large
 * @throws {Error} the stored bytes can't be read
 */
export async function saveFile(share: DecryptedShare, href: string): Promise<boolean> {
  const response = respondTo(share, new URL(href), null)
  if (!response) throw new Error('There is no such file')
  const name = nameIn(response.headers.get('content-disposition') ?? '')
  const { showSaveFilePicker } = window as SavePicker
  if (showSaveFilePicker) return saveTo(() => showSaveFilePicker({ suggestedName: name }), response)
  const file = await privateFile()
  if (file) {
    await (response.body ?? new Blob().stream()).pipeTo(await file.createWritable())
    saveBytes(await file.getFile(), name)
    return true
  }
  if (Number(response.headers.get('content-length')) > inMemoryMax)
    throw new ShownError('encrypted.tooLarge', { max: formatBytes(inMemoryMax) })
  saveBytes(await response.blob(), name)
  return true
}

async function saveTo(pick: () => Promise<FileSystemFileHandle>, response: Response): Promise<boolean> {
  const file = await pick().catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') return null
    throw error
  })
  if (!file) return false
  await (response.body ?? new Blob().stream()).pipeTo(await file.createWritable())
  return true
}

/** Returns a new file of the Origin Private File System; null where there is none. */
async function privateFile(): Promise<FileSystemFileHandle | null> {
  try {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('decrypted', { create: true })
    const file = await folder.getFileHandle(crypto.randomUUID(), { create: true })
    return 'createWritable' in file ? file : null
  } catch {
    return null
  }
}

/** Deletes the private files that earlier pages have left. */
export async function deletePrivateFiles(): Promise<void> {
  try {
    await (await navigator.storage.getDirectory()).removeEntry('decrypted', { recursive: true })
  } catch {} // there are none
}

/** Returns the file name of a Content-Disposition that `contentDisposition` has created. */
function nameIn(header: string): string {
  const exact = /filename\*=UTF-8''(.+)$/.exec(header)?.[1]
  if (exact) return decodeURIComponent(exact)
  return /filename="(.*)"/.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? ''
}

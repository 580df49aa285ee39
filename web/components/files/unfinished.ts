import { useQuery } from '@tanstack/react-query'
import type { UnfinishedUpload } from '../../../src/uploads/contract.ts'
import { type InterruptedUpload, interruptedUploads, type JournalFile, removeUpload } from '../../../uploader/journal.ts'
import { api } from '../../api.ts'
import { ShownError } from '../../lib/error-text.ts'
import { journalStore } from '../../lib/upload/journal-store.ts'
import { isHeldElsewhere } from '../../lib/upload/tab-presence.ts'
import { start } from '../../start.ts'
import { hasKey, offerResume } from './upload-session.ts'

/** An own share whose upload is not finished. */
export interface Unfinished extends UnfinishedUpload {
  /** Whether a tab of this browser is uploading into it. */
  running: boolean
}

export const unfinishedKey = ['uploads']
const reloadInterval = 15_000 // ms

/** Loads the user's unfinished uploads, started on any device. */
export function useUnfinished(): readonly Unfinished[] {
  const { data } = useQuery({
    queryKey: unfinishedKey,
    queryFn: load,
    refetchInterval: ({ state }) => (state.data?.length ? reloadInterval : false),
  })
  return data ?? []
}

async function load(): Promise<Unfinished[]> {
  const uploads = await api('GET /api/uploads')
  if (uploads.some(({ encrypted }) => encrypted)) await journalStore.load()
  const started = interruptedUploads(journalStore, start.user?.id ?? null)
  return Promise.all(uploads.map(async (upload) => ({ ...named(upload, started), running: await isHeldElsewhere(upload.id) })))
}

/** Names an encrypted upload that this browser has started. The server doesn't know its names. */
function named(upload: UnfinishedUpload, started: readonly InterruptedUpload[]): UnfinishedUpload {
  const own = upload.encrypted && started.find(({ share }) => share.id === upload.id)
  return own ? { ...upload, name: own.share.name ?? null, names: own.files.map(({ name }) => name) } : upload
}

/**
 * Offers to continue an upload with its files. Where this browser did not start it, only the server
 * knows them.
 *
 * @throws {ShownError} it is encrypted, and this browser has no key for it
 * @throws {ApiError}
 */
export async function continueUpload({ id }: Unfinished): Promise<void> {
  await journalStore.load()
  const started = interruptedUploads(journalStore, start.user?.id ?? null).find(({ share }) => share.id === id)
  if (started?.share.encrypted && !(await hasKey(id))) throw new ShownError('encrypted.elsewhere', {})
  offerResume(started ?? (await startedElsewhere(id)))
}

/** Deletes an unfinished upload. @throws {ApiError} */
export async function removeUnfinished({ id }: Unfinished): Promise<void> {
  await api('DELETE /api/shares/:id', { params: { id } })
  await journalStore.load()
  removeUpload(journalStore, id)
}

async function startedElsewhere(id: string): Promise<InterruptedUpload> {
  const { link, expiration, files, unfinishedFiles, encrypted } = await api('GET /api/shares/:id/from-owner', { params: { id } })
  if (encrypted) throw new ShownError('encrypted.elsewhere', {}) // only the browser that began it has the key
  const fileOf = ({ id, name, size }: (typeof unfinishedFiles)[number], done: boolean): JournalFile => ({
    name,
    size: Number(size),
    lastModified: null,
    fileId: id,
    done,
  })
  return {
    share: { id, link, expiration, ownerId: start.user?.id ?? null },
    files: [...files.map((file) => fileOf(file, true)), ...unfinishedFiles.map((file) => fileOf(file, false))],
    elsewhere: true,
  }
}

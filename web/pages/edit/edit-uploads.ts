import { useSyncExternalStore } from 'react'
import type { OwnerPage, SharedFile } from '../../../src/shares/contract.ts'
import { joinBlobs } from '../../../uploader/pack.ts'
import { withoutRepeats } from '../../../uploader/repeats.ts'
import type { FileSource, Journal, NewUpload } from '../../../uploader/types.ts'
import { Uploader } from '../../../uploader/uploader.ts'
import { renewSession } from '../../lib/session.ts'
import { keepAwake } from '../../lib/upload/keep-awake.ts'
import { xhrTransport } from '../../lib/upload/xhr-transport.ts'
import { begunFile, forgetBegun, recordBegun } from './begun-files.ts'
import type { EditEncryption } from './share-editor.ts'

/** An upload into a share that is being edited. It outlives the page. */
export interface EditUpload {
  uploader: Uploader
  /** In the order in which they were added. The index is the uploader's key. */
  sources: FileSource[]
  /** IDs of the files on the server, by key. */
  ids: Map<number, string>
  ended: boolean
}

const uploads = new Map<string, EditUpload>()
const listeners = new Set<() => void>()

/** Returns the upload into a share; null if there is none. */
export function useEditUpload(shareId: string): EditUpload | null {
  return useSyncExternalStore(subscribe, () => uploads.get(shareId) ?? null)
}

/**
 * Uploads files into a share that is being edited. An unfinished file whose upload this browser has
 * started is resumed. One with the name of another file gets a number.
 * `refresh` loads the share again when the upload has ended. `encryption` is null for a share that is
 * not encrypted.
 */
export function addFiles(
  { id: shareId, files: stored, unfinishedFiles: unfinished }: Pick<OwnerPage, 'id' | 'files' | 'unfinishedFiles'>,
  sources: readonly FileSource[],
  refresh: () => Promise<unknown>,
  encryption: EditEncryption | null,
): void {
  const current = uploads.get(shareId)
  const upload = current && !isEnding(current) ? current : createUpload(shareId, refresh, encryption)
  const seal = (source: FileSource, fileId?: string) => encryption?.seal(source, fileId) ?? source
  const uploading = new Set(upload.ids.values())
  const resumable = Map.groupBy(
    unfinished.filter(({ id }) => !uploading.has(id)),
    ({ name }) => name,
  )
  const matches = sources.map((source) => ({ source, fileId: takeMatching(shareId, source, resumable) }))
  const others = matches.flatMap(({ source, fileId }) => (fileId ? [] : source))
  const resumed = matches.flatMap(({ source, fileId }): NewUpload[] => (fileId ? [{ source: seal(source, fileId), fileId }] : []))
  const files: NewUpload[] = [
    ...resumed,
    ...withoutRepeats([...filesIn(upload), ...identitiesOf(stored), ...identitiesOf(unfinished)], others).files.map((source) => ({
      source: seal(source),
    })),
  ]
  for (const { source, fileId } of files) {
    if (fileId) upload.ids.set(upload.sources.length, fileId)
    upload.sources.push(source)
  }
  upload.uploader.add(files)
  if (upload.uploader.getSnapshot().state === 'idle') upload.uploader.start()
  notifyListeners()
}

/** Returns the files that are being added, without the removed ones. */
function filesIn({ uploader, sources }: EditUpload): FileSource[] {
  return uploader.getSnapshot().files.flatMap(({ key }) => sources[key]?.plain ?? sources[key] ?? [])
}

/** Returns whether an upload takes no more files. */
function isEnding({ ended, uploader }: EditUpload): boolean {
  return ended || uploader.getSnapshot().state === 'finishing'
}

const identitiesOf = (files: readonly SharedFile[]) => files.map(({ name, size }) => ({ name, size: Number(size), lastModified: null }))

/** Removes the file that an earlier page started to upload from `resumable`, and returns its ID. */
function takeMatching(shareId: string, { name, size, lastModified }: FileSource, resumable: Map<string, SharedFile[]>): string | undefined {
  const matches = (file: SharedFile) => Number(file.size) === size && begunFile(shareId, file.id)?.lastModified === lastModified
  const files = resumable.get(name) ?? []
  const index = files.findIndex(matches)
  return index < 0 ? undefined : files.splice(index, 1)[0]?.id
}

function createUpload(shareId: string, refresh: () => Promise<unknown>, encryption: EditEncryption | null): EditUpload {
  const sources: FileSource[] = []
  const ids = new Map<number, string>()
  const journal = journalOf(shareId, sources, ids, encryption !== null)
  const options = {
    shareId,
    transport: xhrTransport(),
    renewSession,
    journal,
    discard: 'files',
    completes: false,
    packs: joinBlobs,
    ...encryption?.options,
  } as const
  const upload: EditUpload = { uploader: new Uploader(options), sources, ids, ended: false }
  uploads.set(shareId, upload)
  keepAwake(upload.uploader, `/share/${shareId}/edit`)
  upload.uploader.on('state', (state) => {
    if (state !== 'completed' && state !== 'cancelled') return
    upload.ended = true
    void refresh().finally(() => {
      if (uploads.get(shareId) === upload) uploads.delete(shareId)
      notifyListeners()
    })
  })
  return upload
}

/**
 * Stores when each file was last modified, so that a later page can tell whether the user has
 * chosen the same file again. Encrypted files are unfinished until the document lists them.
 */
function journalOf(shareId: string, sources: readonly FileSource[], ids: Map<number, string>, isEncrypted: boolean): Journal {
  const forget = (key: number) => {
    const id = ids.get(key)
    if (id) forgetBegun(shareId, id)
  }
  return {
    opened(key, fileId) {
      ids.set(key, fileId)
      const source = sources[key]
      if (source) recordBegun(shareId, fileId, source)
    },
    done: (key) => !isEncrypted && forget(key),
    removed: forget,
    clear() {
      for (const key of ids.keys()) forget(key)
    },
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function notifyListeners(): void {
  for (const listener of listeners) listener()
}

import { useSyncExternalStore } from 'react'
import type { SharedFile } from '../../../src/shares/contract.ts'
import type { FileSource, Journal, NewUpload } from '../../../uploader/types.ts'
import { Uploader } from '../../../uploader/uploader.ts'
import { renewSession } from '../../lib/session.ts'
import { local } from '../../lib/storage.ts'
import { keepAwake } from '../../lib/upload/attend.ts'
import { xhrTransport } from '../../lib/upload/xhr-transport.ts'

/** Files on their way into a share that is being edited. It outlives the page. */
export interface EditUpload {
  uploader: Uploader
  /** In the order in which they were added: a place here is the uploader's key. */
  sources: FileSource[]
  /** The server's names for them, by key. */
  ids: Map<number, string>
  ended: boolean
}

const uploads = new Map<string, EditUpload>()
const listeners = new Set<() => void>()

/** What is on its way into a share; null when nothing is. */
export function useEditUpload(shareId: string): EditUpload | null {
  return useSyncExternalStore(subscribe, () => uploads.get(shareId) ?? null)
}

/**
 * Sends files into a share that is being edited. Of those `unfinished` ones that this browser has begun to send and that are picked again only the rest is
 * sent. `refresh` reads the share anew when all have arrived.
 */
export function send(
  shareId: string,
  sources: readonly FileSource[],
  unfinished: readonly SharedFile[],
  refresh: () => Promise<unknown>,
): void {
  const known = uploads.get(shareId)
  const upload = known && !known.ended ? known : begin(shareId, refresh)
  const sending = new Set(upload.ids.values())
  const left = Map.groupBy(
    unfinished.filter(({ id }) => !sending.has(id)),
    ({ name }) => name,
  )
  const files = sources.map((source): NewUpload => {
    const fileId = takeSame(shareId, source, left)
    if (fileId) upload.ids.set(upload.sources.length, fileId)
    upload.sources.push(source)
    return { source, ...(fileId && { fileId }) }
  })
  upload.uploader.add(files)
  if (upload.uploader.getSnapshot().state === 'idle') upload.uploader.start()
  tell()
}

/** Takes out of `left` what the source was when an earlier page began to send it. */
function takeSame(shareId: string, { name, size, lastModified }: FileSource, left: Map<string, SharedFile[]>): string | undefined {
  const same = (file: SharedFile) => Number(file.size) === size && local.get(entryOf(shareId, file.id)) === String(lastModified)
  const files = left.get(name) ?? []
  const place = files.findIndex(same)
  return place < 0 ? undefined : files.splice(place, 1)[0]!.id
}

function begin(shareId: string, refresh: () => Promise<unknown>): EditUpload {
  const sources: FileSource[] = []
  const ids = new Map<number, string>()
  const journal = rememberTimes(shareId, sources, ids)
  const options = { shareId, transport: xhrTransport(), renewSession, journal, discard: 'files', completes: false } as const
  const upload: EditUpload = { uploader: new Uploader(options), sources, ids, ended: false }
  uploads.set(shareId, upload)
  keepAwake(upload.uploader)
  upload.uploader.on('state', (state) => {
    if (state !== 'completed' && state !== 'cancelled') return
    upload.ended = true
    void refresh().finally(() => {
      if (uploads.get(shareId) === upload) uploads.delete(shareId)
      tell()
    })
  })
  return upload
}

/** Writes down of when each file was, so that a later page knows whether one that is picked again is the same. */
function rememberTimes(shareId: string, sources: readonly FileSource[], ids: Map<number, string>): Journal {
  const forget = (key: number) => {
    const id = ids.get(key)
    if (id) local.remove(entryOf(shareId, id))
  }
  return {
    opened(key, fileId) {
      ids.set(key, fileId)
      local.set(entryOf(shareId, fileId), String(sources[key]!.lastModified))
    },
    done: forget,
    removed: forget,
    clear() {
      for (const key of ids.keys()) forget(key)
    },
  }
}

const entryOf = (shareId: string, fileId: string) => `edit:${shareId}:${fileId}`

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(): void {
  for (const listener of listeners) listener()
}

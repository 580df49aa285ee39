import { useSyncExternalStore } from 'react'
import {
  type InterruptedUpload,
  interruptedUploads,
  type JournalFile,
  type JournalShare,
  keepJournal,
  matchFiles,
  removeUpload,
  withoutBytes,
} from '../../../uploader/journal.ts'
import type { FileSource, NewUpload } from '../../../uploader/types.ts'
import { Uploader } from '../../../uploader/uploader.ts'
import { api } from '../../api.ts'
import { renewSession } from '../../lib/session.ts'
import { keepAwake } from '../../lib/upload/attend.ts'
import { isHeldElsewhere } from '../../lib/upload/tab-presence.ts'
import { xhrTransport } from '../../lib/upload/xhr-transport.ts'
import { start } from '../../start.ts'

export interface PickedFile {
  key: number
  source: FileSource
}
/** Where files are chosen and sent to: the token of a reverse share; null for own shares. */
export type Place = string | null
export interface Choosing {
  phase: 'choosing'
  place: Place
  files: readonly PickedFile[]
}
export interface Resuming {
  phase: 'resuming'
  upload: InterruptedUpload
  found: ReadonlyMap<JournalFile, FileSource>
}
export interface Uploading {
  phase: 'uploading'
  uploader: Uploader
  share: JournalShare
  /** The files whose bytes are here. */
  sources: readonly FileSource[]
}
export type Session = Choosing | Resuming | Uploading

const nothing: Choosing = { phase: 'choosing', place: null, files: [] }
let session: Session = nothing
let lastKey = 0
const listeners = new Set<() => void>()

/**
 * What this tab is doing. It outlives the page: an upload goes on while its user looks at other pages of the application. What is chosen for one place, or
 * has arrived there, says nothing at another.
 */
export function useSession(place: Place): Session {
  return useSyncExternalStore(subscribe, () => (placeOf(session) === place || isGoingOn(session) ? session : nothing))
}

export const currentSession = () => session

/** Adds files to the choice for a place. */
export function choose(sources: readonly FileSource[], place: Place): void {
  const files = session.phase === 'choosing' && session.place === place ? session.files : []
  set({ phase: 'choosing', place, files: [...files, ...sources.map((source) => ({ key: ++lastKey, source }))] })
}

export function unchoose(key: number): void {
  if (session.phase === 'choosing') set({ ...session, files: session.files.filter((file) => file.key !== key) })
}

export function startOver(): void {
  set(nothing)
}

/** Starts sending the files into a share that was made for them. */
export function beginUpload(share: JournalShare, sources: readonly FileSource[]): void {
  run(
    share,
    sources.map((source) => ({ source })),
    sources,
  )
}

/** Ends the upload, deletes what was sent, and goes back to the choice with the files that have their bytes here. */
export async function cancelUpload({ uploader, share, sources }: Uploading): Promise<void> {
  await uploader.cancel()
  set(nothing)
  choose(sources, share.through?.token ?? null)
}

/** The uploads to a place that this user began in this browser, that no tab is at work on, and that the server still knows. */
export async function findInterrupted(place: Place): Promise<InterruptedUpload[]> {
  const uploads = interruptedUploads(localStorage, start.user?.id ?? null).filter(({ share }) => (share.through?.token ?? null) === place)
  const open = await Promise.all(uploads.map(isOpen))
  return uploads.filter((_, index) => open[index])
}

/**
 * Takes files up as those of an interrupted upload. It starts when all that are needed are there. Answers how many were taken, those that
 * had arrived before included.
 */
export function resumeWith(upload: InterruptedUpload, sources: readonly FileSource[]): number {
  const before = session.phase === 'resuming' && session.upload === upload ? session.found : new Map<JournalFile, FileSource>()
  const { found } = matchFiles(
    upload.files.filter((file) => !before.has(file)),
    sources,
  )
  if (found.size === 0) return 0
  const all = new Map([...before, ...found])
  if (missingFiles(upload, all).length === 0) resume(upload, all)
  else set({ phase: 'resuming', upload, found: all })
  return found.size
}

/** Goes on with the files that are there; the missing ones are left out of the share. */
export function resumeWithout({ upload, found }: Resuming): void {
  resume(upload, found)
}

/** The files of which bytes are still to be sent and that were not picked yet. */
export function missingFiles(upload: InterruptedUpload, found: ReadonlyMap<JournalFile, FileSource>): JournalFile[] {
  return upload.files.filter((file) => !file.done && !found.has(file))
}

/** Deletes an interrupted upload here and on the server. */
export async function discard({ share, files }: InterruptedUpload): Promise<void> {
  const uploader = uploaderOf(share)
  uploader.add(files.map((file) => ({ source: withoutBytes(file), ...known(file) })))
  await uploader.cancel()
  removeUpload(localStorage, share.id)
  set(nothing)
}

function resume({ share, files }: InterruptedUpload, found: ReadonlyMap<JournalFile, FileSource>): void {
  const uploads = files.map((file) => ({ source: found.get(file) ?? withoutBytes(file), ...known(file) }))
  const leftOut = [...files.keys()].filter((key) => !files[key]!.done && !found.has(files[key]!))
  run(share, uploads, [...found.values()], leftOut)
}

function run(share: JournalShare, uploads: readonly NewUpload[], sources: readonly FileSource[], leftOut: readonly number[] = []): void {
  const uploader = uploaderOf(share, uploads)
  uploader.add(uploads)
  uploader.remove(...leftOut)
  keepAwake(uploader)
  uploader.start()
  set({ phase: 'uploading', uploader, share, sources })
}

function uploaderOf(share: JournalShare, uploads?: readonly NewUpload[]): Uploader {
  const journal = uploads && { journal: keepJournal(localStorage, share, uploads) }
  return new Uploader({ shareId: share.id, transport: xhrTransport(), renewSession, ...journal })
}

const known = ({ fileId, done }: JournalFile) => ({ done, ...(fileId ? { fileId } : {}) })

async function isOpen({ share }: InterruptedUpload): Promise<boolean> {
  if (await isHeldElsewhere(share.id)) return false
  const { isAvailable } = await api('GET /api/shares/isShareIdAvailable/:id', { params: { id: share.id } })
  if (isAvailable) removeUpload(localStorage, share.id) // cleaned up meanwhile
  return !isAvailable
}

function placeOf(session: Session): Place {
  if (session.phase === 'choosing') return session.place
  const { share } = session.phase === 'resuming' ? session.upload : session
  return share.through?.token ?? null
}

function isGoingOn(session: Session): boolean {
  return session.phase === 'uploading' && session.uploader.getSnapshot().state !== 'completed'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function set(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

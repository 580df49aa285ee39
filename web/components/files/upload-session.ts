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
import { journalStore } from '../../lib/upload/journal-store.ts'
import { keepAwake } from '../../lib/upload/keep-awake.ts'
import { isHeldElsewhere } from '../../lib/upload/tab-presence.ts'
import { xhrTransport } from '../../lib/upload/xhr-transport.ts'
import { start } from '../../start.ts'

export interface PickedFile {
  key: number
  source: FileSource
}
/** Where files are uploaded to: the token of a reverse share; null for the user's own shares. */
export type Destination = string | null
export interface Choosing {
  phase: 'choosing'
  destination: Destination
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
  /** The files whose bytes this tab can read. */
  sources: readonly FileSource[]
}
export type Session = Choosing | Resuming | Uploading

const empty: Choosing = { phase: 'choosing', destination: null, files: [] }
let session: Session = empty
let lastKey = 0
const listeners = new Set<() => void>()

/**
 * Returns this tab's upload session. It outlives the page, so an upload continues while the user
 * visits other pages.
 * A choice or a completed upload is shown only at its own destination.
 */
export function useSession(destination: Destination): Session {
  return useSyncExternalStore(subscribe, () => (destinationOf(session) === destination || isActive(session) ? session : empty))
}

/** Returns this tab's upload session without subscribing to it. */
export const currentSession = () => session

/** Adds files to those chosen for a destination. */
export function choose(sources: readonly FileSource[], destination: Destination): void {
  const files = session.phase === 'choosing' && session.destination === destination ? session.files : []
  set({ phase: 'choosing', destination, files: [...files, ...sources.map((source) => ({ key: ++lastKey, source }))] })
}

/** Removes a chosen file. */
export function unchoose(key: number): void {
  if (session.phase === 'choosing') set({ ...session, files: session.files.filter((file) => file.key !== key) })
}

/** Clears the session, so that new files can be chosen. */
export function startOver(): void {
  set(empty)
}

/** Starts uploading files into a share that was created for them. */
export function beginUpload(share: JournalShare, sources: readonly FileSource[]): void {
  run(
    share,
    sources.map((source) => ({ source })),
    sources,
  )
}

/**
 * Cancels the upload, deletes its uploaded bytes, and returns to the choice with the files that
 * this tab can read.
 */
export async function cancelUpload({ uploader, share, sources }: Uploading): Promise<void> {
  await uploader.cancel()
  set(empty)
  choose(sources, share.through?.token ?? null)
}

/**
 * Returns the uploads that this user started in this browser and that were interrupted.
 * Uploads that another tab is running or that the server has deleted are left out.
 */
export async function findInterrupted(destination: Destination): Promise<InterruptedUpload[]> {
  await journalStore.load()
  const uploads = interruptedUploads(journalStore, start.user?.id ?? null).filter(
    ({ share }) => (share.through?.token ?? null) === destination,
  )
  const resumable = await Promise.all(uploads.map(isResumable))
  return uploads.filter((_, index) => resumable[index])
}

/**
 * Returns whether all files have names of missing ones. They are changed if `resumeWith` matches
 * none.
 */
export function areNamesakes(upload: InterruptedUpload, sources: readonly FileSource[]): boolean {
  const names = new Set(missingFiles(upload, new Map()).map(({ name }) => name))
  return sources.every(({ name }) => names.has(name))
}

/**
 * Matches files with those of an interrupted upload and resumes it once no file is missing.
 * Returns how many files matched, including those that were already uploaded.
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

/** Resumes an upload with the files found so far. Missing files are removed from the share. */
export function resumeWithout({ upload, found }: Resuming): void {
  resume(upload, found)
}

/** Returns the files that are not fully uploaded and that the user has not chosen again. */
export function missingFiles(upload: InterruptedUpload, found: ReadonlyMap<JournalFile, FileSource>): JournalFile[] {
  return upload.files.filter((file) => !file.done && !found.has(file))
}

/** Deletes an interrupted upload in this browser and on the server. */
export async function discard({ share, files }: InterruptedUpload): Promise<void> {
  const uploader = uploaderOf(share)
  uploader.add(files.map((file) => ({ source: withoutBytes(file), ...savedState(file) })))
  await uploader.cancel()
  removeUpload(journalStore, share.id)
  set(empty)
}

function resume({ share, files }: InterruptedUpload, found: ReadonlyMap<JournalFile, FileSource>): void {
  const uploads = files.map((file) => ({ source: found.get(file) ?? withoutBytes(file), ...savedState(file) }))
  const leftOut = files.flatMap((file, key) => (file.done || found.has(file) ? [] : [key]))
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
  const journal = uploads && { journal: keepJournal(journalStore, share, uploads) }
  return new Uploader({ shareId: share.id, transport: xhrTransport(), renewSession, ...journal })
}

const savedState = ({ fileId, done }: JournalFile) => ({ done, ...(fileId ? { fileId } : {}) })

async function isResumable({ share }: InterruptedUpload): Promise<boolean> {
  if (await isHeldElsewhere(share.id)) return false
  const { isAvailable } = await api('GET /api/shares/isShareIdAvailable/:id', { params: { id: share.id } })
  if (isAvailable) removeUpload(journalStore, share.id) // the server has deleted it
  return !isAvailable
}

function destinationOf(session: Session): Destination {
  if (session.phase === 'choosing') return session.destination
  const { share } = session.phase === 'resuming' ? session.upload : session
  return share.through?.token ?? null
}

function isActive(session: Session): boolean {
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

import { useSyncExternalStore } from 'react'
import { showInvisible } from '../../../src/invisible-characters.ts'
import {
  type GrowingJournal,
  type InterruptedUpload,
  interruptedUploads,
  type JournalFile,
  type JournalShare,
  keepJournal,
  matchFiles,
  namesakesOf,
  removeUpload,
  withoutBytes,
} from '../../../uploader/journal.ts'
import { joinBlobs } from '../../../uploader/pack.ts'
import { withoutRepeats } from '../../../uploader/repeats.ts'
import type { FileSource, NewUpload, UploadState } from '../../../uploader/types.ts'
import { Uploader } from '../../../uploader/uploader.ts'
import { api } from '../../api.ts'
import type { EncryptedUpload } from '../../lib/encryption/encrypted-upload.ts'
import { ShownError } from '../../lib/error-text.ts'
import { renewSession } from '../../lib/session.ts'
import { journalStore } from '../../lib/upload/journal-store.ts'
import { keepAwake } from '../../lib/upload/keep-awake.ts'
import { withoutPhotoData } from '../../lib/upload/photo-data.ts'
import { recordUpload } from '../../lib/upload/record-upload.ts'
import { isHeldElsewhere } from '../../lib/upload/tab-presence.ts'
import { xhrTransport } from '../../lib/upload/xhr-transport.ts'
import { start } from '../../start.ts'
import { findChanged } from './verify.ts'

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
  /** Files to add to an upload of another browser, because not all of its files may be known. */
  added: readonly FileSource[]
}
export interface Uploading {
  phase: 'uploading'
  uploader: Uploader
  journal: GrowingJournal
  share: JournalShare
  /** The files whose bytes this tab can read. */
  sources: readonly FileSource[]
  /** null for a share that is not encrypted. */
  encryption: EncryptedUpload | null
}
export type Session = Choosing | Resuming | Uploading

const empty: Choosing = { phase: 'choosing', destination: null, files: [] }
let session: Session = empty
let lastKey = 0
/** Uploads that the user has discarded, also while they are being deleted. */
const discarded = new WeakSet<InterruptedUpload>()
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

/**
 * Adds files to those chosen for a destination. Returns how many were among them already; null if
 * none is added because an upload runs.
 */
export function choose(sources: readonly FileSource[], destination: Destination): number | null {
  if (isActive(session)) return null
  const chosen = session.phase === 'choosing' && session.destination === destination ? session.files : []
  const { files, repeated } = withoutRepeats(
    chosen.map(({ source }) => source),
    sources,
  )
  set({ phase: 'choosing', destination, files: [...chosen, ...files.map((source) => ({ key: ++lastKey, source }))] })
  return repeated
}

const appendable = new Set<UploadState>(['running', 'pausing', 'paused', 'stopped', 'incomplete'])

/** Returns whether files can still be added to an upload. A reverse share has its own limits. */
export function isAppendable({ uploader, share }: Uploading): boolean {
  return !share.through && appendable.has(uploader.getSnapshot().state)
}

/** Adds files to an upload that runs. Returns how many it had already. */
export function append(upload: Uploading, sources: readonly FileSource[]): number {
  const shown = session.phase === 'uploading' && session.uploader === upload.uploader ? session : null
  const current = shown ?? upload // others may have been added meanwhile
  const { files, repeated } = withoutRepeats(filesOf(current), sources)
  if (files.length === 0) return repeated
  const uploads = files.map((source) => ({ source: upload.encryption?.seal(source) ?? source }))
  upload.journal.add(uploads)
  upload.uploader.add(uploads)
  if (shown) set({ ...current, sources: [...current.sources, ...files] })
  return repeated
}

/** Returns the files of an upload without the removed ones. The time of some may be unknown. */
function filesOf({ uploader, sources }: Uploading) {
  const byName = new Map(sources.map((source) => [source.name, source]))
  return uploader.getSnapshot().files.map(({ name, size }) => byName.get(name) ?? { name, size, lastModified: null })
}

/** Returns the path of the page that shows an upload. */
export function pathOf({ through }: JournalShare): string {
  return through ? `/upload/${encodeURIComponent(through.token)}` : '/upload'
}

/** Removes a chosen file. */
export function unchoose(key: number): void {
  if (session.phase === 'choosing') set({ ...session, files: session.files.filter((file) => file.key !== key) })
}

/** Clears the session, so that new files can be chosen. */
export function startOver(): void {
  set(empty)
}

/** Leaves a completed upload, whose result has its own page. */
export function leaveCompleted(shareId: string): void {
  if (session.phase === 'uploading' && session.share.id === shareId && !isActive(session)) set(empty)
}

/** Starts uploading files into a share that was created for them. */
export function beginUpload(share: JournalShare, sources: readonly FileSource[], encryption: EncryptedUpload | null = null): void {
  run(
    { share, sources, encryption },
    sources.map((source) => ({ source: encryption?.seal(source) ?? source })),
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
 * Returns how many files matched, including those that were already uploaded; null if the user has
 * discarded or continued the upload or chosen other files meanwhile.
 *
 * @throws {ShownError} a photo's data can't be removed, or a file differs from the one that another
 * browser began to upload
 * @throws {ApiError}
 */
export async function resumeWith(upload: InterruptedUpload, sources: readonly FileSource[]): Promise<number | null> {
  const asked = session
  const ready = upload.share.cleaned ? await withoutPhotoData(namesakesOf(upload.files, sources)) : sources
  const changed = upload.elsewhere && (await findChanged(upload, ready))
  if (changed) throw new ShownError('upload.notSameContent', { name: showInvisible(changed.name) })
  if (discarded.has(upload) || (session !== asked && !isResuming(upload))) return null
  return resumeMatching(upload, ready)
}

const isResuming = (upload: InterruptedUpload) => session.phase === 'resuming' && session.upload === upload

function resumeMatching(upload: InterruptedUpload, sources: readonly FileSource[]): number {
  const before = session.phase === 'resuming' && session.upload === upload ? session : resumingOf(upload)
  const { found, strangers } = matchFiles(
    upload.files.filter((file) => !before.found.has(file)),
    sources,
  )
  if (found.size === 0 && !upload.elsewhere) return 0
  const all = new Map([...before.found, ...found])
  const added = upload.elsewhere ? withoutRepeats([...upload.files, ...before.added], strangers).files : []
  const resuming = { ...before, found: all, added: [...before.added, ...added] }
  if (missingFiles(upload, all).length === 0 && !upload.elsewhere) resumeWithout(resuming)
  else set(resuming)
  return found.size + added.length
}

/** Asks for the files of an interrupted upload, or resumes it if all of them have arrived. */
export function offerResume(upload: InterruptedUpload): void {
  const resuming = resumingOf(upload)
  if (missingFiles(upload, resuming.found).length === 0 && !upload.elsewhere) resumeWithout(resuming)
  else set(resuming)
}

const resumingOf = (upload: InterruptedUpload): Resuming => ({ phase: 'resuming', upload, found: new Map(), added: [] })

/** Returns the files that are not fully uploaded and that the user has not chosen again. */
export function missingFiles(upload: InterruptedUpload, found: ReadonlyMap<JournalFile, FileSource>): JournalFile[] {
  return upload.files.filter((file) => !file.done && !found.has(file))
}

/** Deletes an interrupted upload in this browser and on the server. */
export async function discard(upload: InterruptedUpload): Promise<void> {
  const { share, files } = upload
  discarded.add(upload)
  const uploader = uploaderOf(share)
  uploader.add(files.map((file) => ({ source: withoutBytes(file), ...savedState(file) })))
  await uploader.cancel()
  removeUpload(journalStore, share.id)
  if (isResuming(upload)) set(empty)
}

/** Resumes an upload with the files found so far. Missing files are removed from the share. */
export function resumeWithout(resuming: Omit<Resuming, 'phase'>): void {
  const { share } = resuming.upload
  if (share.encrypted) void resumeEncrypted(resuming)
  else resumeRun(resuming, null)
}

async function resumeEncrypted(resuming: Omit<Resuming, 'phase'>): Promise<void> {
  const { loadEncryption } = await import('../../lib/encryption/encrypted-upload.ts')
  resumeRun(resuming, await loadEncryption(resuming.upload.share))
}

function resumeRun({ upload: { share, files }, found, added }: Omit<Resuming, 'phase'>, encryption: EncryptedUpload | null): void {
  if (share.encrypted && !encryption) return // `hasKey` was checked before, but keys can be deleted meanwhile
  const known = files.map((file) => {
    const plain = sourceFor(file, found)
    return { source: encryption?.sealAgain(file, plain) ?? plain, ...savedState(file) }
  })
  const leftOut = files.flatMap((file, key) => (file.done || found.has(file) ? [] : [key]))
  const sources = [...found.keys()].map((file) => sourceFor(file, found))
  const more = added.map((source) => ({ source: encryption?.seal(source) ?? source }))
  run({ share, sources: [...sources, ...added], encryption }, [...known, ...more], leftOut)
}

/** Returns a found file by the name that it has in the upload, which may be numbered. */
function sourceFor(file: JournalFile, found: ReadonlyMap<JournalFile, FileSource>): FileSource {
  const source = found.get(file)
  return source ? { ...source, name: file.name, pickedName: source.name } : withoutBytes(file)
}

function run(
  { share, sources, encryption }: Pick<Uploading, 'share' | 'sources' | 'encryption'>,
  uploads: readonly NewUpload[],
  leftOut: readonly number[] = [],
): void {
  const journal = keepJournal(journalStore, share, uploads)
  const uploader = uploaderOf(share, journal, encryption)
  uploader.add(uploads)
  uploader.remove(...leftOut)
  keepAwake(uploader, pathOf(share), share.through?.simplified ? pathOf(share) : `/upload/done/${share.id}`)
  recordUpload(uploader, share)
  uploader.start()
  set({ phase: 'uploading', uploader, journal, share, sources, encryption })
}

function uploaderOf(share: JournalShare, journal?: GrowingJournal, encryption: EncryptedUpload | null = null): Uploader {
  const plain = { transport: xhrTransport(), packs: joinBlobs }
  return new Uploader({ shareId: share.id, renewSession, ...plain, ...encryption?.options, ...(journal && { journal }) })
}

const savedState = ({ fileId, done }: JournalFile) => ({ done, ...(fileId ? { fileId } : {}) })

async function isResumable({ share }: InterruptedUpload): Promise<boolean> {
  if (await isHeldElsewhere(share.id)) return false
  const { isAvailable } = await api('GET /api/shares/isShareIdAvailable/:id', { params: { id: share.id } })
  if (isAvailable) removeUpload(journalStore, share.id) // the server has deleted it
  return !isAvailable && (!share.encrypted || (await hasKey(share.id)))
}

/** Returns whether this browser has the key of an encrypted share. */
export async function hasKey(id: string): Promise<boolean> {
  const { storedKey } = await import('../../lib/encryption/key-store.ts')
  return (await storedKey(id)) !== null
}

function destinationOf(session: Session): Destination {
  if (session.phase === 'choosing') return session.destination
  const { share } = session.phase === 'resuming' ? session.upload : session
  return share.through?.token ?? null
}

/** Returns whether a session is an upload that has not completed. */
export function isActive(session: Session): boolean {
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

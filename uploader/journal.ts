import type { FileSource, Journal, NewUpload } from './types.ts'

/** What is used of `localStorage`. */
export interface KeyValueStore {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** The share that an upload fills, as far as a later page needs to know it. */
export interface JournalShare {
  id: string
  link: string
  /** ISO-8601; 1970 is "never". */
  expiration: string
  /** Null for a visitor. */
  ownerId: string | null
  /** The reverse share that it is sent through; absent for an own share. */
  through?: SentThrough
}

export interface SentThrough {
  token: string
  /** Who gets it: a username. */
  to: string
  simplified: boolean
  publicAccess: boolean
}

export interface JournalFile {
  name: string
  size: number
  lastModified: number
  /** The server's id; null when it was not announced yet. */
  fileId: string | null
  done: boolean
}

/** An upload that a page began and did not end. */
export interface InterruptedUpload {
  share: JournalShare
  files: JournalFile[]
}

const prefix = 'upload:'
const headOf = (shareId: string) => `${prefix}${shareId}`
const entryOf = (shareId: string, key: number) => `${prefix}${shareId}:${key}`

/**
 * Writes an upload down as it goes: its files once, and then a few bytes for each that was opened, done or removed. Where there is no room
 * (or no storage at all) the upload goes on and cannot be resumed.
 */
export function keepJournal(store: KeyValueStore, share: JournalShare, files: readonly NewUpload[]): Journal {
  const clear = () => removeUpload(store, share.id)
  const write = (key: string, value: string) => {
    try {
      store.setItem(key, value)
    } catch {
      clear()
    }
  }
  clear()
  const list = files.map(({ source: { name, size, lastModified } }) => [name, size, lastModified])
  write(headOf(share.id), JSON.stringify({ share, files: list }))
  const written = () => store.getItem(headOf(share.id)) !== null
  const note = (key: number, value: string) => written() && write(entryOf(share.id, key), value)
  files.forEach(({ fileId, done }, key) => {
    if (fileId) note(key, JSON.stringify([fileId, done ?? false]))
  })
  return {
    opened: (key, fileId) => note(key, JSON.stringify([fileId, false])),
    done: (key) => note(key, JSON.stringify([idIn(store.getItem(entryOf(share.id, key))), true])),
    removed: (key) => note(key, 'null'),
    clear,
  }
}

/** The uploads of this user that were begun in this browser and not ended. */
export function interruptedUploads(store: KeyValueStore, ownerId: string | null): InterruptedUpload[] {
  const keys = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '')
  const uploads = keys.filter((key) => key.startsWith(prefix)).flatMap((key) => readUpload(store, key) ?? [])
  return uploads.filter(({ share, files }) => share.ownerId === ownerId && files.length > 0)
}

export function removeUpload(store: KeyValueStore, shareId: string): void {
  const keys = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '')
  for (const key of keys) if (key === headOf(shareId) || key.startsWith(`${headOf(shareId)}:`)) store.removeItem(key)
}

/**
 * Finds the picked files among those that an interrupted upload still needs: the same size and time, and the same name, or at least its
 * last segment. Each is taken once; `strangers` belong to none.
 */
export function matchFiles(needed: readonly JournalFile[], picked: readonly FileSource[]) {
  const found = new Map<JournalFile, FileSource>()
  const left = new Set(picked)
  for (const nameOf of [(name: string) => name, lastSegment]) {
    const byIdentity = new Map<string, FileSource[]>()
    for (const source of left) {
      const identity = identityOf(nameOf, source)
      byIdentity.set(identity, [...(byIdentity.get(identity) ?? []), source])
    }
    for (const file of needed) {
      const source = found.has(file) ? undefined : byIdentity.get(identityOf(nameOf, file))?.shift()
      if (!source) continue
      found.set(file, source)
      left.delete(source)
    }
  }
  return { found, strangers: [...left] }
}

/** Stands for a file that has arrived, or is to be taken away: it has no bytes here. */
export function withoutBytes({ name, size, lastModified }: JournalFile): FileSource {
  return { name, size, lastModified, type: '', slice: () => new Blob([]) }
}

const identityOf = (nameOf: (name: string) => string, { name, size, lastModified }: { name: string; size: number; lastModified: number }) =>
  `${size}:${lastModified}:${nameOf(name)}`
const lastSegment = (name: string) => name.slice(name.lastIndexOf('/') + 1)

function readUpload(store: KeyValueStore, key: string): InterruptedUpload | null {
  try {
    const { share, files } = JSON.parse(store.getItem(key)!) as { share: JournalShare; files: [string, number, number][] }
    if (key !== headOf(share.id)) return null
    return { share, files: files.flatMap((file, index) => readFile(file, store.getItem(entryOf(share.id, index)))) }
  } catch {
    return null // an entry of a file, or nothing of ours
  }
}

function readFile([name, size, lastModified]: [string, number, number], entry: string | null): JournalFile[] {
  if (entry === 'null') return []
  const [fileId, done] = entry ? (JSON.parse(entry) as [string, boolean]) : [null, false]
  return [{ name, size, lastModified, fileId, done }]
}

const idIn = (entry: string | null) => (entry ? (JSON.parse(entry) as [string, boolean])[0] : null)

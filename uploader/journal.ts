import { withoutNumber } from './repeats.ts'
import type { FileSource, Journal, NewUpload } from './types.ts'

/** The part of `Storage` that the journal uses. */
export interface KeyValueStore {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** What a later page needs to know about the share of an upload. */
export interface JournalShare {
  id: string
  link: string
  /** ISO-8601; 1970 is "never". */
  expiration: string
  /** Null or absent for a share without a name. */
  name?: string | null
  /** Null for a visitor. */
  ownerId: string | null
  /** Present for an end-to-end encrypted share, with what its document says beside the files. */
  encrypted?: { description: string | null; kind: 'files' | 'text' }
  /** Whether data about photos was removed, so that a file chosen again needs the same. */
  cleaned?: boolean
  /** The reverse share that the files are uploaded to; absent for the user's own share. */
  through?: SentThrough
}

export interface SentThrough {
  token: string
  /** Username of the recipient. */
  to: string
  simplified: boolean
  publicAccess: boolean
}

export interface JournalFile {
  name: string
  size: number
  /** Null where only the server knows the file. */
  lastModified: number | null
  /** The server's id; null before the file is announced. */
  fileId: string | null
  done: boolean
  /** The random name of an encrypted file on the server; absent for other files. */
  sealedName?: string
  /** Media type of an encrypted file. */
  type?: string
  /** Of an encrypted file that has arrived. */
  crc32?: number
}

/** The journal of an upload to which files can be added. */
export interface GrowingJournal extends Journal {
  add(files: readonly NewUpload[]): void
}

/** An upload that a page started and did not finish. */
export interface InterruptedUpload {
  share: JournalShare
  files: JournalFile[]
  /** Whether another browser started it, so that only its announced files are known. */
  elsewhere?: boolean
}

const prefix = 'upload:'
const headOf = (shareId: string) => `${prefix}${shareId}`
const entryOf = (shareId: string, key: number) => `${prefix}${shareId}:${key}`

/**
 * Records an upload: its files when they are added, and then a few bytes for each file that is
 * opened, done or removed. Where there is no storage or no space left, the upload continues and can't be resumed.
 */
export function keepJournal(store: KeyValueStore, share: JournalShare, files: readonly NewUpload[]): GrowingJournal {
  const clear = () => removeUpload(store, share.id)
  const write = (key: string, value: string) => {
    try {
      store.setItem(key, value)
    } catch {
      clear()
    }
  }
  const list: ListedFile[] = []
  const sources: FileSource[] = []
  const isRecorded = () => store.getItem(headOf(share.id)) !== null
  const record = (key: number, value: string) => isRecorded() && write(entryOf(share.id, key), value)
  const add = (added: readonly NewUpload[]) => {
    const first = list.length
    list.push(...added.map(({ source }) => listed(source)))
    sources.push(...added.map(({ source }) => source))
    write(headOf(share.id), JSON.stringify({ share, files: list }))
    added.forEach(({ fileId, done }, index) => {
      if (fileId) record(first + index, JSON.stringify([fileId, done ?? false, sources[first + index]?.crc32?.() ?? undefined]))
    })
  }
  clear()
  add(files)
  return {
    add: (added) => void (isRecorded() && add(added)),
    opened: (key, fileId) => record(key, JSON.stringify([fileId, false])),
    done: (key) => record(key, JSON.stringify([idIn(store.getItem(entryOf(share.id, key))), true, sources[key]?.crc32?.() ?? undefined])),
    removed: (key) => record(key, 'null'),
    clear,
  }
}

/** Returns the uploads that this user started in this browser and did not finish. */
export function interruptedUploads(store: KeyValueStore, ownerId: string | null): InterruptedUpload[] {
  const keys = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '')
  const uploads = keys.filter((key) => key.startsWith(prefix)).flatMap((key) => readUpload(store, key) ?? [])
  return uploads.filter(({ share, files }) => share.ownerId === ownerId && files.length > 0)
}

/** Removes the record of an upload. */
export function removeUpload(store: KeyValueStore, shareId: string): void {
  const keys = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '')
  for (const key of keys) if (key === headOf(shareId) || key.startsWith(`${headOf(shareId)}:`)) store.removeItem(key)
}

/**
 * Matches picked files to those that an interrupted upload still needs, by size, time and name, or
 * else the name's last segment, or else that without its number. Where the time is unknown, size
 * and name decide. Each file is matched once; `strangers` match none.
 */
export function matchFiles(needed: readonly JournalFile[], picked: readonly FileSource[]) {
  const found = new Map<JournalFile, FileSource>()
  const left = new Set(picked)
  for (const nameOf of [(name: string) => name, lastSegment, plainNameOf]) {
    const candidates = Map.groupBy(left, ({ name, size }) => `${size}:${nameOf(name)}`)
    for (const file of needed) {
      const sources = found.has(file) ? [] : (candidates.get(`${file.size}:${nameOf(file.name)}`) ?? [])
      const index = sources.findIndex(({ lastModified }) => lastModified === (file.lastModified ?? lastModified))
      const [source] = index < 0 ? [] : sources.splice(index, 1)
      if (!source) continue
      found.set(file, source)
      left.delete(source)
    }
  }
  return { found, strangers: [...left] }
}

/** Returns the picked files that have names by which `matchFiles` could match them. */
export function namesakesOf(needed: readonly JournalFile[], picked: readonly FileSource[]): FileSource[] {
  const names = new Set(needed.map(({ name }) => plainNameOf(name)))
  return picked.filter(({ name }) => names.has(plainNameOf(name)))
}

/** Returns a source without bytes, for a file that has arrived or will be deleted. */
export function withoutBytes({ name, size, lastModified, type = '' }: JournalFile): FileSource {
  return { name, size, lastModified: lastModified ?? 0, type, slice: () => new Blob([]) }
}

const lastSegment = (name: string) => name.slice(name.lastIndexOf('/') + 1)
const plainNameOf = (name: string) => withoutNumber(lastSegment(name))

function readUpload(store: KeyValueStore, key: string): InterruptedUpload | null {
  try {
    const { share, files } = JSON.parse(store.getItem(key) ?? '') as { share: JournalShare; files: ListedFile[] }
    if (key !== headOf(share.id)) return null
    return { share, files: files.flatMap((file, index) => readFile(file, store.getItem(entryOf(share.id, index)))) }
  } catch {
    return null // the entry of a file, or foreign data
  }
}

function readFile([name, size, lastModified, sealedName, type]: ListedFile, entry: string | null): JournalFile[] {
  if (entry === 'null') return []
  const [fileId, done, crc32] = entry ? (JSON.parse(entry) as Entry) : [null, false]
  const encrypted = sealedName === undefined ? {} : { sealedName, ...(type && { type }), ...(typeof crc32 === 'number' && { crc32 }) }
  return [{ name, size, lastModified, fileId, done, ...encrypted }]
}

/** Name, size and time of a file. An encrypted one also has its random name and its type. */
type ListedFile = [name: string, size: number, lastModified: number, sealedName?: string, type?: string]
/** ID of a file, whether it has arrived, and the checksum of an encrypted one. */
type Entry = [fileId: string, done: boolean, crc32?: number | null]

function listed({ name, size, lastModified, plain }: FileSource): ListedFile {
  return plain ? [plain.name, plain.size, plain.lastModified, name, plain.type] : [name, size, lastModified]
}

const idIn = (entry: string | null) => (entry ? (JSON.parse(entry) as [string, boolean])[0] : null)

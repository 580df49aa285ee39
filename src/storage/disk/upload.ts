import { randomBytes, randomUUID } from 'node:crypto'
import { access, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { ObjectMissing, type Upload, WrongLength } from '../object-store.ts'
import { partLength } from '../parts.ts'
import { GatheringWriter } from '../streams/gathering-writer.ts'
import { receive } from '../streams/receive.ts'
import { codeOf, exists, FILE_MODE, FOLDER_MODE, lastWritten, requireSpace, rethrowNew, withFile } from './files.ts'

/**
 * An open upload is a folder of `tmp`, named by its id:
 *   `data`         the object to be, as long as it will be, where the first copy of each part is written in place;
 *   `whole`        `data` from the moment it is being finished: a writer that still runs finds no `data` and stops;
 *   `{n}`          empty: the place of part n in `data` is taken;
 *   `{n}.{copy}`   part n sent again. Bytes that a ledger may name are never overwritten, so a part that is cut, or refused for its digest, while it is
 *                  sent again leaves the earlier one whole; the ledger's etag says which copy counts, and finishing copies that one in.
 */
export const DATA = 'data'
export const WHOLE = 'whole'
export const IN_PLACE = '0'
/** Copies of one part that are kept, beside the one in place. */
const COPIES = 3

/** A writer looks whether its file is still there before a write, but not more often. */
export const LOOK_EVERY_MS = 50

/** Where the store keeps its bytes, and which start of the machine this is. */
export interface Disk {
  root: string
  boot: string
}

/** The folder of an upload; throws TypeError for what cannot be an id of ours. */
export function uploadFolder({ root }: Disk, id: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw new TypeError('Not an upload of this store')
  return join(root, 'tmp', id)
}

/** What an etag says: which copy of the part, the CRC-32 of its bytes, and in which start of the machine it was written. */
export function readEtag(etag: string): { copy: string; crc32: number; boot: string } {
  const [, copy, crc, boot] = /^(0|[0-9a-f]{16})-([0-9a-f]{8})-(\w+)$/.exec(etag) ?? []
  if (copy === undefined || crc === undefined || boot === undefined) throw new WrongLength('A part is not of this upload')
  return { copy, crc32: Number.parseInt(crc, 16), boot }
}

/** Makes the upload's folder with a sparse `data` file of `size` bytes; answers its id. */
export async function beginUpload(disk: Disk, size: number): Promise<string> {
  const id = randomUUID()
  const folder = uploadFolder(disk, id)
  try {
    await requireSpace(disk.root, size)
    await mkdir(folder, { mode: FOLDER_MODE })
    await withFile(join(folder, DATA), 'wx', (file) => file.truncate(size))
    return id
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    return rethrowNew(error)
  }
}

/** Writes one part, as `ObjectStore.writePart` says, but leaves the body alone when it fails. */
export async function writePart(
  disk: Disk,
  upload: Upload,
  number: number,
  body: Readable,
  length: number,
  counting: () => Promise<string | undefined> = async () => undefined,
) {
  if (length !== partLength(upload, number)) throw new WrongLength(`Part ${number} has ${partLength(upload, number)} bytes, not ${length}`)
  const folder = uploadFolder(disk, upload.id)
  const place = join(folder, String(number))
  if (!(await exists(join(folder, DATA)))) throw new ObjectMissing('The upload is finished or gone')
  await requireSpace(folder, length)
  const inPlace = await take(place)
  if (!inPlace) await dropOldest(folder, number, counting)
  const copy = inPlace ? IN_PLACE : randomBytes(8).toString('hex')
  const path = inPlace ? join(folder, DATA) : `${place}.${copy}`
  try {
    const crc32 = await writeBody(path, inPlace ? (number - 1) * upload.partSize : null, body, length)
    return { etag: `${copy}-${crc32.toString(16).padStart(8, '0')}-${disk.boot}`, crc32 }
  } catch (error) {
    await rm(inPlace ? place : path, { force: true })
    throw error
  }
}

/** Drops an upload. It is renamed first, so that writers in any process find it gone and no new file can turn up while it is emptied. */
export async function abortUpload(disk: Disk, id: string): Promise<void> {
  const folder = uploadFolder(disk, id)
  await rename(folder, `${folder}.gone`).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error
  })
  await rm(`${folder}.gone`, { recursive: true, force: true })
}

/** Writes the body at `offset` of the file, or into a new file (null). Answers its CRC-32. */
async function writeBody(path: string, offset: number | null, body: Readable, length: number): Promise<number> {
  return withFile(path, offset === null ? 'wx' : 'r+', async (file) => {
    let looked = Number.NEGATIVE_INFINITY
    const stillThere = async () => {
      const now = performance.now()
      if (now - looked < LOOK_EVERY_MS) return
      await access(path)
      looked = now
    }
    // A request's chunks are ours alone once node:http has handed them out; of another stream nobody knows what its maker does with them afterwards.
    const release = body instanceof IncomingMessage
    const writer = new GatheringWriter({ file, position: offset ?? 0, length, before: stillThere, release })
    await receive(body, writer)
    await access(path)
    return writer.crc32
  })
}

/** Takes the place of a part in `data`: true for the first that asks, in whatever process. */
async function take(place: string): Promise<boolean> {
  try {
    await (await open(place, 'wx', FILE_MODE)).close()
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Makes room for one more copy of a part, so that sending it over and over cannot fill the disk. The copy that counts stays. */
async function dropOldest(folder: string, number: number, counting: () => Promise<string | undefined>): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${number}.`))
  if (names.length < COPIES) return
  const copies = await Promise.all(names.map(async (name) => ({ name, time: await lastWritten(join(folder, name)) })))
  const counts = await counting() // later than the list: what has begun to count since is not in it
  const kept = counts && `${number}.${readEtag(counts).copy}`
  copies.sort((a, b) => b.time - a.time)
  const old = copies.filter(({ name }) => name !== kept).slice(COPIES - 1)
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })))
}

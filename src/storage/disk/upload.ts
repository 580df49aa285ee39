import { randomBytes, randomUUID } from 'node:crypto'
import { access, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { ObjectMissing, type Upload, WrongLength } from '../object-store.ts'
import { partLength } from '../parts.ts'
import { GatheringWriter } from '../streams/gathering-writer.ts'
import { receive } from '../streams/receive.ts'
import { codeOf, exists, FILE_MODE, FOLDER_MODE, lastWritten, requireSpace, throwCreationError, withFile } from './files.ts'

/**
 * An open upload is a folder in `tmp`, named by its ID:
 *   `data`         the future object at its full length; first copies of parts are written in place
 *   `whole`        `data`, renamed when finishing begins: a running writer finds no `data` and stops
 *   `{n}`          empty; marks that part n in `data` has a writer
 *   `{n}.{copy}`   part n, uploaded again
 * Bytes that may be in a ledger are never overwritten. So if a repeated upload of a part is cut or
 * has a wrong digest, the earlier copy survives. The etag in the ledger names the valid copy, and
 * finishing copies it into place.
 */
export const DATA = 'data'
export const WHOLE = 'whole'
export const IN_PLACE = '0'
/** Copies of one part that are kept, in addition to the one in place. */
const MAX_COPIES = 3

/** How often a writer checks, before a write, that its file still exists. */
export const CHECK_EVERY_MS = 50

export interface Disk {
  /** The folder that holds all bytes. */
  root: string
  /** Identifies the current boot of the machine. */
  bootId: string
}

/**
 * Returns the folder of an upload.
 *
 * @throws {TypeError} `id` is not an ID of this store
 */
export function uploadFolder({ root }: Disk, id: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw new TypeError('Not an upload of this store')
  return join(root, 'tmp', id)
}

/**
 * Parses an etag: the copy of the part, the CRC-32 of its bytes, and the boot of the machine in
 * which it was written.
 */
export function readEtag(etag: string): { copy: string; crc32: number; bootId: string } {
  const [, copy, crc, bootId] = /^(0|[0-9a-f]{16})-([0-9a-f]{8})-(\w+)$/.exec(etag) ?? []
  if (copy === undefined || crc === undefined || bootId === undefined) throw new WrongLength('A part does not belong to this upload')
  return { copy, crc32: Number.parseInt(crc, 16), bootId }
}

/**
 * Creates the upload's folder with a sparse `data` file of `size` bytes; returns the upload's ID.
 */
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
    return throwCreationError(error)
  }
}

/** Implements `ObjectStore.writePart`, but does not destroy the body on failure. */
export async function writePart(
  disk: Disk,
  upload: Upload,
  number: number,
  body: Readable,
  length: number,
  currentEtag: () => Promise<string | undefined> = async () => undefined,
) {
  if (length !== partLength(upload, number)) throw new WrongLength(`Part ${number} has ${partLength(upload, number)} bytes, not ${length}`)
  const folder = uploadFolder(disk, upload.id)
  const marker = join(folder, String(number))
  if (!(await exists(join(folder, DATA)))) throw new ObjectMissing('The upload is finished or aborted')
  await requireSpace(folder, length)
  const inPlace = await createMarker(marker)
  if (!inPlace) await dropOldest(folder, number, currentEtag)
  const copy = inPlace ? IN_PLACE : randomBytes(8).toString('hex')
  const path = inPlace ? join(folder, DATA) : `${marker}.${copy}`
  try {
    const crc32 = await writeBody(path, inPlace ? (number - 1) * upload.partSize : null, body, length)
    return { etag: `${copy}-${crc32.toString(16).padStart(8, '0')}-${disk.bootId}`, crc32 }
  } catch (error) {
    await rm(inPlace ? marker : path, { force: true })
    throw error
  }
}

/**
 * Drops an upload. Its folder is renamed first, so that no writer in any process can add a file
 * while it is emptied.
 */
export async function abortUpload(disk: Disk, id: string): Promise<void> {
  const folder = uploadFolder(disk, id)
  await rename(folder, `${folder}.gone`).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error
  })
  await rm(`${folder}.gone`, { recursive: true, force: true })
}

/** Writes the body at `offset` of the file, or to a new file if null. Returns its CRC-32. */
async function writeBody(path: string, offset: number | null, body: Readable, length: number): Promise<number> {
  return withFile(path, offset === null ? 'wx' : 'r+', async (file) => {
    let checkedAt = Number.NEGATIVE_INFINITY
    const checkExists = async () => {
      const now = performance.now()
      if (now - checkedAt < CHECK_EVERY_MS) return
      await access(path)
      checkedAt = now
    }
    // node:http keeps no reference to a request's chunks. Other streams may still use theirs.
    const releasesChunks = body instanceof IncomingMessage
    const writer = new GatheringWriter({ file, position: offset ?? 0, length, beforeWrite: checkExists, releasesChunks })
    await receive(body, writer)
    await access(path)
    return writer.crc32
  })
}

/** Marks a part in `data` as written. Returns true for the first caller in any process. */
async function createMarker(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', FILE_MODE)).close()
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Makes room for one more copy of a part, so that repeated uploads can't fill the disk. The copy in
 * the ledger is kept.
 */
async function dropOldest(folder: string, number: number, currentEtag: () => Promise<string | undefined>): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${number}.`))
  if (names.length < MAX_COPIES) return
  const copies = await Promise.all(names.map(async (name) => ({ name, time: await lastWritten(join(folder, name)) })))
  const etag = await currentEtag() // read after the list, so a copy that became valid since is not in the list
  const kept = etag && `${number}.${readEtag(etag).copy}`
  copies.sort((a, b) => b.time - a.time)
  const old = copies.filter(({ name }) => name !== kept).slice(MAX_COPIES - 1)
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })))
}

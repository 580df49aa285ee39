import { type FileHandle, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { crc32 } from '@node-rs/crc32'
import { ObjectMissing, type StoredPart, type Upload, WrongLength } from '../object-store.ts'
import { checkParts } from '../parts.ts'
import { codeOf, moveIntoPlace, withFile } from './files.ts'
import { CHECK_EVERY_MS, DATA, type Disk, IN_PLACE, readEtag, uploadFolder, WHOLE } from './upload.ts'

const BLOCK_BYTES = 1024 * 1024

/**
 * Implements `ObjectStore.finish` into the file `target`. After a crash at any point, calling it
 * again completes the work.
 */
export async function finishUpload(disk: Disk, upload: Upload, parts: StoredPart[], target: string): Promise<void> {
  checkParts(upload, parts)
  const folder = uploadFolder(disk, upload.id)
  try {
    await checkFiles(folder, parts)
    await joinParts(disk, folder, upload, parts)
    await moveIntoPlace(join(folder, WHOLE), target)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && !(error instanceof WrongLength)) throw error
    const done = await stat(target).catch(() => null) // another call that has finished may be deleting the folder
    if (done?.size !== upload.size)
      throw error instanceof WrongLength ? error : new ObjectMissing('The upload does not exist', { cause: error })
  }
  await rm(folder, { recursive: true, force: true })
}

/** Throws WrongLength for parts that are in the ledger but not in the folder. */
async function checkFiles(folder: string, parts: StoredPart[]): Promise<void> {
  const names = new Set(await readdir(folder))
  for (const { number, etag } of parts) {
    const { copy } = readEtag(etag)
    if (!names.has(copy === IN_PLACE ? `${number}` : `${number}.${copy}`)) throw new WrongLength(`Part ${number} is missing`)
  }
}

/**
 * Closes the upload to writers, joins the ledger's parts in one file and syncs it. Reopens it if a
 * part must be uploaded again.
 */
async function joinParts(disk: Disk, folder: string, upload: Upload, parts: StoredPart[]): Promise<void> {
  const [data, whole] = [join(folder, DATA), join(folder, WHOLE)]
  await rename(data, whole).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error // ENOENT: an earlier call got this far
  })
  // The first writer of a part uploaded twice may still run. After this wait it has noticed that
  // the upload is closed.
  if (parts.some(({ etag }) => readEtag(etag).copy !== IN_PLACE)) await setTimeout(5 * CHECK_EVERY_MS)
  try {
    await withFile(whole, 'r+', async (file) => {
      const { size } = await file.stat()
      if (size < upload.size) throw new WrongLength(`The upload has ${size} bytes instead of ${upload.size}`)
      if (size > upload.size) await file.truncate(upload.size) // only the maximum was known when it began
      for (const part of parts) await copyIntoPlace(disk, folder, file, upload, part)
      await file.sync()
    })
  } catch (error) {
    if (error instanceof WrongLength) await rename(whole, data)
    throw error
  }
}

/**
 * Copies a part into place, unless it is there already. A part written before the last boot, or by
 * another machine, is read and its CRC-32 compared: parts are not synced one by one, so a power cut
 * may have lost bytes that are in the ledger.
 */
async function copyIntoPlace(disk: Disk, folder: string, file: FileHandle, upload: Upload, part: StoredPart): Promise<void> {
  const { copy, crc32: expected, bootId } = readEtag(part.etag)
  const offset = (part.number - 1) * upload.partSize
  if (copy === IN_PLACE && bootId === disk.bootId) return
  const crc = await (copy === IN_PLACE
    ? copyBytes(file, offset, part.size, null)
    : withFile(join(folder, `${part.number}.${copy}`), 'r', (source) => copyBytes(source, 0, part.size, { file, offset })))
  if (crc !== expected) throw new WrongLength(`Part ${part.number} is damaged; it must be uploaded again`)
}

/** Reads `length` bytes, writes them to `to` unless it is null, and returns their CRC-32. */
async function copyBytes(
  from: FileHandle,
  start: number,
  length: number,
  to: { file: FileHandle; offset: number } | null,
): Promise<number> {
  const block = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, length))
  let crc = 0
  for (let done = 0; done < length; ) {
    const { bytesRead } = await from.read(block, 0, Math.min(block.length, length - done), start + done)
    if (bytesRead === 0) throw new WrongLength('A part is shorter than it was')
    const bytes = block.subarray(0, bytesRead)
    crc = crc32(bytes, crc)
    for (let sent = 0; to && sent < bytesRead; ) {
      sent += (await to.file.write(bytes, sent, bytesRead - sent, to.offset + done + sent)).bytesWritten
    }
    done += bytesRead
  }
  return crc
}

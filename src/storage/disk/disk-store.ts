import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectStore } from '../object-store.ts'
import { drainBody } from '../streams/receive.ts'
import { sendBlocks } from '../streams/send-blocks.ts'
import { SmallReads } from '../streams/small-reads.ts'
import { checkFolder, removeFiles, sweepTemporary } from './clean-up.ts'
import { FOLDER_MODE, freeBytes, rethrow, storeError } from './files.ts'
import { finishUpload } from './finish.ts'
import { sizeOf } from './read.ts'
import { abortUpload, beginUpload, type Disk, writePart } from './upload.ts'
import { writeWhole } from './write.ts'

const READ_BYTES = 256 * 1024
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const keyPattern = new RegExp(`^(?:shares/${uuid}/${uuid}|(?:zips|logos)/${uuid}/[0-9]{1,16})$`)

export interface DiskStore extends ObjectStore {
  /**
   * Removes what a process that died left among the temporary files, and uploads, when nothing was written to it for `olderThanMs`: more than an
   * abandoned upload is kept. Answers how many.
   */
  sweepTemporary(olderThanMs: number): Promise<number>
}

/**
 * The object store on a local disk: an object is the file `dir/{key}`, an upload a folder of `dir/tmp`. Any number of processes share `dir`. Throws
 * StoreUnavailable when the folders cannot be made.
 */
export async function diskStore({ dir }: { dir: string }): Promise<DiskStore> {
  for (const folder of ['tmp', 'shares', 'zips', 'logos'])
    await mkdir(join(dir, folder), { recursive: true, mode: FOLDER_MODE }).catch(rethrow)
  const disk: Disk = { root: dir, boot: await bootId() }
  const smallReads = new SmallReads()
  const fileOf = (key: string) => {
    if (!keyPattern.test(key)) throw new TypeError('Not a key of this store')
    return join(dir, key)
  }
  return {
    async begin(key, size) {
      fileOf(key)
      return beginUpload(disk, size)
    },
    async writePart(upload, number, body, length, counting) {
      body.on('error', ignore)
      try {
        return await writePart(disk, upload, number, body, length, counting)
      } catch (error) {
        drainBody(body, length)
        throw storeError(error)
      }
    },
    async finish(upload, parts) {
      await finishUpload(disk, upload, parts, fileOf(upload.key)).catch(rethrow)
    },
    async abort({ id }) {
      await abortUpload(disk, id).catch(rethrow)
    },
    async write(key, body, expected) {
      body.on('error', ignore)
      return writeWhole(disk, body, fileOf(key), expected)
    },
    async read(key, range) {
      const file = await open(fileOf(key)).catch(rethrow)
      return file.createReadStream({ ...range, highWaterMark: READ_BYTES })
    },
    async readInto(key, start, target) {
      await smallReads.read(fileOf(key), start, target).catch(rethrow)
    },
    async send(key, range, to) {
      const file = await open(fileOf(key)).catch(rethrow)
      try {
        await sendBlocks(file, range, to)
      } finally {
        await file.close()
      }
    },
    async head(key) {
      const size = await sizeOf(fileOf(key))
      return size === null ? null : { size }
    },
    async remove(keys) {
      await removeFiles(keys.map(fileOf)).catch(rethrow)
    },
    room: () => freeBytes(dir).catch(rethrow),
    check: () => checkFolder(dir),
    sweepTemporary: (olderThanMs) => sweepTemporary(dir, olderThanMs),
    close: () => smallReads.close(),
  }
}

/** A body may fail before anyone listens, which would end the process; `receive` finds it failed. */
function ignore(): void {}

/** Changes with every start of the machine; the same text everywhere where the system has no such thing. */
async function bootId(): Promise<string> {
  const id = await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => 'none')
  return id.slice(0, 8)
}

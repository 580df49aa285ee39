import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectStore } from '../object-store.ts'
import { withSlices } from '../slices.ts'
import { drainBody } from '../streams/receive.ts'
import { sendBlocks } from '../streams/send-blocks.ts'
import { SmallReads } from '../streams/small-reads.ts'
import { checkFolder, removeFiles, sweepTemporary } from './clean-up.ts'
import { FOLDER_MODE, fileSize, fileStoreError, freeBytes, throwFileStoreError } from './files.ts'
import { finishUpload } from './finish.ts'
import { abortUpload, beginUpload, type Disk, writePart } from './upload.ts'
import { writeObjectFile } from './write.ts'

const READ_BYTES = 256 * 1024
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const KEY_PATTERN = new RegExp(
  `^(?:shares/${UUID}/${UUID}|previews/${UUID}/${UUID}-(?:thumbnail|preview)|(?:zips|logos)/${UUID}/[0-9]{1,16})$`,
)

export interface DiskStore extends ObjectStore {
  /**
   * Removes temporary files and uploads that a crashed process left and nothing was written to for
   * `olderThanMs`. This must exceed the time that abandoned uploads are kept. Returns how many.
   */
  sweepTemporary(olderThanMs: number): Promise<number>
}

/**
 * Creates the object store on a local disk. An object is the file `dir/{key}`, an upload is a
 * folder in `dir/tmp`. Any number of processes may share `dir`.
 *
 * @throws {StoreUnavailable} the folders can't be created
 */
export async function diskStore({ dir }: { dir: string }): Promise<DiskStore> {
  for (const folder of ['tmp', 'shares', 'previews', 'zips', 'logos'])
    await mkdir(join(dir, folder), { recursive: true, mode: FOLDER_MODE }).catch(throwFileStoreError)
  const disk: Disk = { root: dir, bootId: await readBootId() }
  const smallReads = new SmallReads()
  const fileOf = (key: string) => {
    if (!KEY_PATTERN.test(key)) throw new TypeError('Not a key of this store')
    return join(dir, key)
  }
  return withSlices({
    async begin(key, size) {
      fileOf(key)
      return beginUpload(disk, size)
    },
    async writePart(upload, number, body, length, currentEtag) {
      body.on('error', ignore)
      try {
        return await writePart(disk, upload, number, body, length, currentEtag)
      } catch (error) {
        drainBody(body, length)
        throw fileStoreError(error)
      }
    },
    async finish(upload, parts) {
      await finishUpload(disk, upload, parts, fileOf(upload.key)).catch(throwFileStoreError)
    },
    async abort({ id }) {
      await abortUpload(disk, id).catch(throwFileStoreError)
    },
    async write(key, body, expected) {
      body.on('error', ignore)
      return writeObjectFile(disk, body, fileOf(key), { bytes: expected })
    },
    async writeWhole(key, body, length) {
      body.on('error', ignore)
      await writeObjectFile(disk, body, fileOf(key), { length })
    },
    async read(key, range) {
      const file = await open(fileOf(key)).catch(throwFileStoreError)
      return file.createReadStream({ ...range, highWaterMark: READ_BYTES })
    },
    async readInto(key, start, target) {
      await smallReads.read(fileOf(key), start, target).catch(throwFileStoreError)
    },
    async send(key, range, to, onOpen) {
      const file = await open(fileOf(key)).catch(throwFileStoreError)
      try {
        if (onOpen) await onOpen((await file.stat().catch(throwFileStoreError)).size)
        await sendBlocks(file, range, to)
      } finally {
        await file.close()
      }
    },
    pathOf: (key) => fileOf(key),
    async head(key) {
      const size = await fileSize(fileOf(key))
      return size === null ? null : { size }
    },
    async remove(keys) {
      await removeFiles(keys.map(fileOf)).catch(throwFileStoreError)
    },
    room: () => freeBytes(dir).catch(throwFileStoreError),
    check: () => checkFolder(dir),
    sweepTemporary: (olderThanMs) => sweepTemporary(dir, olderThanMs),
    close: () => smallReads.close(),
  })
}

/**
 * A body may fail before anything listens, which would end the process. `receive` then sees that it
 * has failed.
 */
function ignore(): void {}

/** Returns an ID that changes with every boot of the machine; a constant on systems without one. */
async function readBootId(): Promise<string> {
  const id = await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => 'none')
  return id.slice(0, 8)
}

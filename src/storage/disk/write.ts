import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { GatheringWriter } from '../streams/gathering-writer.ts'
import { receive } from '../streams/receive.ts'
import { moveIntoPlace, requireSpace, throwCreationError, withFile } from './files.ts'
import type { Disk } from './upload.ts'

interface Expected {
  /** About how many bytes will arrive. */
  bytes?: number | undefined
  /** Exactly how many bytes must arrive; any number if absent. */
  length?: number
}

/**
 * Writes `body` to a temporary file, syncs it and moves it to `target`. Returns its size in bytes. On
 * failure the temporary file is removed.
 *
 * @throws {WrongLength} the body is cut, or does not have the expected length
 */
export async function writeObjectFile({ root }: Disk, body: Readable, target: string, { bytes = 0, length }: Expected): Promise<number> {
  const path = join(root, 'tmp', `${randomUUID()}.write`)
  try {
    await requireSpace(root, length ?? bytes)
    const size = await withFile(path, 'wx', async (file) => {
      const beforeWrite = () => requireSpace(root, 0)
      const releasesChunks = body instanceof IncomingMessage
      const writer = new GatheringWriter({ file, position: 0, beforeWrite, releasesChunks, ...(length !== undefined && { length }) })
      await receive(body, writer)
      await file.sync()
      return writer.bytes
    })
    await moveIntoPlace(path, target)
    return size
  } catch (error) {
    body.destroy()
    await rm(path, { force: true })
    return throwCreationError(error)
  }
}

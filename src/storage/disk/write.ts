import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { GatheringWriter } from '../streams/gathering-writer.ts'
import { receive } from '../streams/receive.ts'
import { moveIntoPlace, requireSpace, throwCreationError, withFile } from './files.ts'
import type { Disk } from './upload.ts'

/**
 * Writes `body`, about `expected` bytes, to a temporary file, syncs it and moves it to `target`.
 * Returns its size in bytes. On failure the temporary file is removed.
 */
export async function writeObjectFile({ root }: Disk, body: Readable, target: string, expected = 0): Promise<number> {
  const path = join(root, 'tmp', `${randomUUID()}.write`)
  try {
    await requireSpace(root, expected)
    const size = await withFile(path, 'wx', async (file) => {
      const beforeWrite = () => requireSpace(root, 0)
      const writer = new GatheringWriter({ file, position: 0, beforeWrite, releasesChunks: body instanceof IncomingMessage })
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

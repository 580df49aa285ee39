import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { GatheringWriter } from '../streams/gathering-writer.ts'
import { receive } from '../streams/receive.ts'
import { moveIntoPlace, requireSpace, rethrowNew, withFile } from './files.ts'
import type { Disk } from './upload.ts'

/** Writes `body` to a temporary file, syncs it and moves it to `target`; answers its size in bytes, `expected` or so. When it fails the temporary file is gone. */
export async function writeWhole({ root }: Disk, body: Readable, target: string, expected = 0): Promise<number> {
  const path = join(root, 'tmp', `${randomUUID()}.write`)
  try {
    await requireSpace(root, expected)
    const size = await withFile(path, 'wx', async (file) => {
      const before = () => requireSpace(root, 0)
      const writer = new GatheringWriter({ file, position: 0, before, release: body instanceof IncomingMessage })
      await receive(body, writer)
      await file.sync()
      return writer.bytes
    })
    await moveIntoPlace(path, target)
    return size
  } catch (error) {
    body.destroy()
    await rm(path, { force: true })
    return rethrowNew(error)
  }
}

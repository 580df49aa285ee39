import { crc32 } from '@node-rs/crc32'
import { UnrecoverableError } from 'bullmq'
import type { Context } from '../src/context.ts'
import type { Jobs } from '../src/queue/jobs.ts'
import { ObjectMissing } from '../src/storage/object-store.ts'
import { filesWithoutChecksum, fileWithoutChecksum, recordChecksum } from '../src/uploads/checksum-queries.ts'

type Tools = Pick<Context, 'db' | 'storage'>

const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

/** Reads a file to compute its CRC-32, which zips need, unless the row already has it. */
export async function checksumFile({ db, storage }: Tools, { fileId }: Jobs['checksum-file'], stopping: AbortSignal): Promise<void> {
  const file = await fileWithoutChecksum(db, fileId)
  if (!file) return
  try {
    let crc = 0
    for await (const chunk of await storage.read(file.objectKey)) {
      stopping.throwIfAborted()
      crc = crc32(chunk, crc)
    }
    await recordChecksum(db, fileId, crc)
  } catch (error) {
    if (error instanceof ObjectMissing) throw new UnrecoverableError(`The object ${file.objectKey} is missing: ${error.message}`)
    throw error
  }
}

/** Adds a job for every file without a checksum. The queue ignores jobs that it already has. */
export async function enqueueChecksums({ db, queue }: Pick<Context, 'db' | 'queue'>, batch: number): Promise<void> {
  let after: string | undefined = LOWEST_ID
  while (after !== undefined) {
    const ids: string[] = await filesWithoutChecksum(db, after, batch)
    for (const fileId of ids) await queue.add('checksum-file', { fileId }, `checksum-${fileId}`)
    after = ids.length < batch ? undefined : ids.at(-1)
  }
}

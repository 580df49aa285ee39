import { crc32 } from '@node-rs/crc32'
import { UnrecoverableError } from 'bullmq'
import type { Context } from '../src/context.ts'
import type { Jobs } from '../src/queue/jobs.ts'
import { ObjectMissing } from '../src/storage/object-store.ts'
import { filesWithoutChecksum, fileWithoutChecksum, recordChecksum } from '../src/uploads/checksum-queries.ts'

type Tools = Pick<Context, 'db' | 'storage'>

const FIRST = '00000000-0000-0000-0000-000000000000'

/** Reads a file back to find its CRC-32, which archives need; does nothing when it is known. */
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

/** Hands in every file that waits: the queue itself leaves out those that it has. */
export async function enqueueChecksums({ db, queue }: Pick<Context, 'db' | 'queue'>, batch: number): Promise<void> {
  for (let after = FIRST; ; ) {
    const ids = await filesWithoutChecksum(db, after, batch)
    for (const fileId of ids) await queue.add('checksum-file', { fileId }, `checksum-${fileId}`)
    if (ids.length < batch) return
    after = ids.at(-1)!
  }
}

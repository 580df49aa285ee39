import { DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3'
import { StoreUnavailable } from '../object-store.ts'
import type { S3Clients } from './client.ts'
import { isMissing, nameOf, statusOf, throwS3Error } from './errors.ts'

const BATCH = 1000 // the most that S3 deletes in one call
const CONCURRENT_DELETES = 16
/** Statuses of overload, which single deletions would only increase. */
const OVERLOAD = new Set([408, 429])

type Remove = (keys: string[]) => Promise<void>

/**
 * Creates the function that removes objects: a thousand per call, or one by one once the server has
 * refused batches. A failure does not stop it, but is thrown at the end. Missing objects are
 * ignored.
 */
export function remover(clients: S3Clients): Remove {
  let usesBatches = true
  return async (keys) => {
    const failures: string[] = []
    for (let at = 0; at < keys.length; at += BATCH) {
      const batch = keys.slice(at, at + BATCH)
      const failed = usesBatches && batch.length > 1 ? await removeBatch(clients, batch) : 'one by one'
      if (failed === 'one by one') {
        const singleFailures = await removeSingly(clients, batch)
        if (batch.length > 1 && singleFailures.length === 0) usesBatches = false
        failures.push(...singleFailures)
      } else failures.push(...failed)
    }
    if (failures.length > 0) throw new StoreUnavailable(`${failures.length} objects could not be removed; the first: ${failures[0]}`)
  }
}

async function removeBatch({ control, bucket }: S3Clients, keys: string[]): Promise<string[] | 'one by one'> {
  const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true }
  try {
    const { Errors = [] } = await control.send(new DeleteObjectsCommand({ Bucket: bucket, Delete }))
    return Errors.filter(({ Code }) => Code !== 'NoSuchKey').map(({ Key, Code, Message }) => `${Key}: ${Code} ${Message ?? ''}`)
  } catch (error) {
    return refusesBatches(error) ? 'one by one' : throwS3Error(error)
  }
}

/**
 * Servers without this call, without the SDK's checksum, with Content-MD5 required, or for keys
 * with few rights refuse it with many different codes.
 */
function refusesBatches(error: unknown): boolean {
  const status = statusOf(error) ?? 0
  return (status >= 400 && status < 500 && !OVERLOAD.has(status)) || nameOf(error) === 'NotImplemented'
}

async function removeSingly({ control, bucket }: S3Clients, keys: string[]): Promise<string[]> {
  const failures: string[] = []
  const remaining = keys.values()
  const removeNext = async () => {
    for (const Key of remaining) {
      await control.send(new DeleteObjectCommand({ Bucket: bucket, Key })).catch((error) => {
        if (!isMissing(error)) failures.push(`${Key}: ${nameOf(error)} ${error.message}`)
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENT_DELETES, keys.length) }, removeNext))
  return failures
}

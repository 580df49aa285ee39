import { DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3'
import { StoreUnavailable } from '../object-store.ts'
import type { S3Clients } from './client.ts'
import { isMissing, nameOf, throwS3Error } from './errors.ts'

const BATCH = 1000 // the most that S3 deletes in one call
const CONCURRENT_DELETES = 16
/**
 * Errors of servers without this call, without the SDK's checksum, or that require Content-MD5,
 * which the SDK no longer sends.
 */
const NO_BATCHES = new Set(['MissingContentMD5', 'InvalidRequest', 'InvalidArgument', 'NotImplemented', 'MethodNotAllowed', 'MalformedXML'])

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
        usesBatches &&= batch.length === 1
        failures.push(...(await removeSingly(clients, batch)))
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
    return NO_BATCHES.has(nameOf(error)) ? 'one by one' : throwS3Error(error)
  }
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

import { DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3'
import { StoreUnavailable } from '../object-store.ts'
import type { S3Clients } from './client.ts'
import { isGone, nameOf, rethrow } from './errors.ts'

const BATCH = 1000 // what S3 takes at once
const AT_ONCE = 16
/** Refusals of the call itself: servers that insist on a Content-MD5, which the SDK no longer sends, do not know its checksum, or have no such call. */
const NO_BATCHES = new Set(['MissingContentMD5', 'InvalidRequest', 'InvalidArgument', 'NotImplemented', 'MethodNotAllowed', 'MalformedXML'])

type Remove = (keys: string[]) => Promise<void>

/**
 * Removes objects, a thousand in one call where the server can, else one by one, which is then remembered. Goes on when one cannot be removed, and
 * throws that at the end; those that are gone are no error.
 */
export function remover(clients: S3Clients): Remove {
  let batches = true
  return async (keys) => {
    const failures: string[] = []
    for (let at = 0; at < keys.length; at += BATCH) {
      const some = keys.slice(at, at + BATCH)
      const failed = batches && some.length > 1 ? await removeBatch(clients, some) : 'one by one'
      if (failed === 'one by one') {
        batches &&= some.length === 1
        failures.push(...(await removeSingly(clients, some)))
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
    return NO_BATCHES.has(nameOf(error)) ? 'one by one' : rethrow(error)
  }
}

async function removeSingly({ control, bucket }: S3Clients, keys: string[]): Promise<string[]> {
  const failures: string[] = []
  const left = keys.values()
  const removeNext = async () => {
    for (const Key of left) {
      await control.send(new DeleteObjectCommand({ Bucket: bucket, Key })).catch((error) => {
        if (!isGone(error)) failures.push(`${Key}: ${nameOf(error)} ${error.message}`)
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, keys.length) }, removeNext))
  return failures
}

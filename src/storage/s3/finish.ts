import { CompleteMultipartUploadCommand, DeleteObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import { ObjectMissing, type StoredPart, type Upload, WrongLength } from '../object-store.ts'
import { checkParts } from '../parts.ts'
import type { S3Clients } from './client.ts'
import { isGone, nameOf, rethrow, s3Error } from './errors.ts'
import { isOver } from './parts.ts'

/** Servers' words for a part that is not the one of the ledger: it was sent again and that was not noted, or it has gone. */
const BAD_PART = new Set(['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall'])

/** The object's size in bytes; null when there is none. */
export async function sizeOf({ control, bucket }: S3Clients, key: string): Promise<number | null> {
  try {
    const { ContentLength } = await control.send(new HeadObjectCommand({ Bucket: bucket, Key: key }))
    return ContentLength ?? null
  } catch (error) {
    return isGone(error) ? null : rethrow(error)
  }
}

/**
 * Joins the parts, as `ObjectStore.finish` says. Whatever the answer is (an error in a reply of status 200, a time-out, "no such upload" from a second
 * call), what counts is that the object is there with its size afterwards.
 */
export async function finishUpload(clients: S3Clients, upload: Upload, parts: StoredPart[]): Promise<void> {
  checkParts(upload, parts)
  const failure = await complete(clients, upload, parts)
  const size = await sizeOf(clients, upload.key)
  if (size === upload.size) return
  if (size !== null) {
    await clients.control.send(new DeleteObjectCommand({ Bucket: clients.bucket, Key: upload.key })).catch(rethrow)
    throw new WrongLength(`The object has ${size} bytes instead of ${upload.size}`, { cause: failure })
  }
  if (BAD_PART.has(nameOf(failure))) throw new WrongLength(`S3 refuses the parts: ${(failure as Error).message}`, { cause: failure })
  // Ceph answers 500 to finishing what was aborted.
  if (await isOver(clients, upload)) throw new ObjectMissing('The upload is gone', { cause: failure })
  throw s3Error(failure ?? new Error('S3 completed the upload, yet there is no object'))
}

async function complete({ complete, bucket }: S3Clients, { key, id }: Upload, parts: StoredPart[]): Promise<unknown> {
  const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }))
  const command = new CompleteMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: id, MultipartUpload: { Parts } })
  try {
    await complete.send(command)
  } catch (error) {
    return error
  }
}

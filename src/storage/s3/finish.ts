import { CompleteMultipartUploadCommand, DeleteObjectCommand, HeadObjectCommand, type HeadObjectCommandOutput } from '@aws-sdk/client-s3'
import { ObjectMissing, type StoredPart, type Upload, WrongLength } from '../object-store.ts'
import { checkParts } from '../parts.ts'
import type { S3Clients } from './client.ts'
import { isMissing, nameOf, s3Error, throwS3Error } from './errors.ts'
import { isOver } from './parts.ts'

/**
 * Error codes for a part that is not the one in the ledger: it was uploaded again without being
 * recorded, or it is missing.
 */
const BAD_PART = new Set(['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall'])

/** Garage reports it only in the message, as InvalidRequest. */
function isBadPart(failure: unknown): boolean {
  return BAD_PART.has(nameOf(failure)) || /do not match uploaded parts/.test((failure as Error).message)
}

/** Returns the object's size in bytes; null if it does not exist. */
export async function objectSize(clients: S3Clients, key: string): Promise<number | null> {
  return (await headObject(clients, key))?.ContentLength ?? null
}

/**
 * Returns the ETag and the time that the store sends with an object; null if it does not exist or
 * the store sends none.
 */
export async function objectValidators(clients: S3Clients, key: string): Promise<{ etag: string; modified: Date } | null> {
  const { ETag: etag, LastModified: modified } = (await headObject(clients, key)) ?? {}
  return etag && modified ? { etag, modified } : null
}

async function headObject({ control, bucket }: S3Clients, key: string): Promise<HeadObjectCommandOutput | null> {
  try {
    return await control.send(new HeadObjectCommand({ Bucket: bucket, Key: key }))
  } catch (error) {
    return isMissing(error) ? null : throwS3Error(error)
  }
}

/**
 * Implements `ObjectStore.finish`. The response does not decide: it may be an error with status
 * 200, a timeout, or "no such upload" for a second call. What counts is that the object exists with
 * the right size afterwards.
 */
export async function finishUpload(clients: S3Clients, upload: Upload, parts: StoredPart[]): Promise<void> {
  checkParts(upload, parts)
  const failure = await complete(clients, upload, parts)
  const size = await objectSize(clients, upload.key)
  if (size === upload.size) return
  if (size !== null) {
    await clients.control.send(new DeleteObjectCommand({ Bucket: clients.bucket, Key: upload.key })).catch(throwS3Error)
    throw new WrongLength(`The object has ${size} bytes instead of ${upload.size}`, { cause: failure })
  }
  if (failure && isBadPart(failure)) throw new WrongLength(`S3 rejects the parts: ${(failure as Error).message}`, { cause: failure })
  // Ceph responds with 500 to finishing an aborted upload.
  if (await isOver(clients, upload)) throw new ObjectMissing('The upload does not exist', { cause: failure })
  throw s3Error(failure ?? new Error('S3 completed the upload, but the object does not exist'))
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

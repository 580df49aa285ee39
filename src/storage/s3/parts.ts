import { ListPartsCommand, type Part } from '@aws-sdk/client-s3'
import type { StoredPart, Upload } from '../object-store.ts'
import type { S3Clients } from './client.ts'
import { isMissing, throwS3Error } from './errors.ts'

const PAGE = 1000 // the most that S3 returns

type UploadName = Pick<Upload, 'key' | 'id'>

/**
 * Returns all parts that have arrived, in ascending order. Lists `pageSize` at a time.
 *
 * @throws {ObjectMissing} the upload is finished or aborted
 */
export async function listParts(clients: S3Clients, upload: UploadName, pageSize = PAGE): Promise<StoredPart[]> {
  const parts: StoredPart[] = []
  for await (const { PartNumber, Size, ETag } of allParts(clients, upload, pageSize)) {
    if (PartNumber !== undefined && Size !== undefined && ETag) parts.push({ number: PartNumber, size: Size, etag: ETag })
  }
  return parts.sort((a, b) => a.number - b.number)
}

/**
 * Returns when the last part arrived, in milliseconds since 1970; 0 if none has, or the upload is
 * finished or aborted.
 */
export async function lastPartAt(clients: S3Clients, upload: UploadName): Promise<number> {
  let last = 0
  try {
    for await (const { LastModified } of allParts(clients, upload)) last = Math.max(last, LastModified?.getTime() ?? 0)
  } catch (error) {
    if (!isMissing((error as Error).cause)) throw error
  }
  return last
}

/** Returns whether an upload is finished or aborted, or never existed. */
export async function isOver({ control, bucket }: S3Clients, { key, id }: UploadName): Promise<boolean> {
  try {
    await control.send(new ListPartsCommand({ Bucket: bucket, Key: key, UploadId: id, MaxParts: 1 }))
    return false
  } catch (error) {
    return isMissing(error) || throwS3Error(error)
  }
}

async function* allParts({ control, bucket }: S3Clients, { key, id }: UploadName, pageSize = PAGE): AsyncGenerator<Part> {
  let marker: string | undefined
  do {
    const command = new ListPartsCommand({ Bucket: bucket, Key: key, UploadId: id, MaxParts: pageSize, PartNumberMarker: marker })
    const page = await control.send(command).catch(throwS3Error)
    yield* page.Parts ?? []
    marker = page.IsTruncated ? page.NextPartNumberMarker : undefined
  } while (marker)
}

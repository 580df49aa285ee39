import { ListPartsCommand, type Part } from '@aws-sdk/client-s3'
import type { StoredPart, Upload } from '../object-store.ts'
import type { S3Clients } from './client.ts'
import { isGone, rethrow } from './errors.ts'

const PAGE = 1000 // what S3 answers at most

type Named = Pick<Upload, 'key' | 'id'>

/** All parts that have arrived, in ascending order, asked for `pageSize` at a time. Throws ObjectMissing when the upload is over. */
export async function listParts(clients: S3Clients, upload: Named, pageSize = PAGE): Promise<StoredPart[]> {
  const parts: StoredPart[] = []
  for await (const { PartNumber, Size, ETag } of allParts(clients, upload, pageSize)) {
    if (PartNumber !== undefined && Size !== undefined && ETag) parts.push({ number: PartNumber, size: Size, etag: ETag })
  }
  return parts.sort((a, b) => a.number - b.number)
}

/** When the last part arrived, in milliseconds since 1970; 0 when none has, or the upload is over. */
export async function lastPartAt(clients: S3Clients, upload: Named): Promise<number> {
  let last = 0
  try {
    for await (const { LastModified } of allParts(clients, upload)) last = Math.max(last, LastModified?.getTime() ?? 0)
  } catch (error) {
    if (!isGone((error as Error).cause)) throw error
  }
  return last
}

/** Whether an upload is finished, aborted, or never was. */
export async function isOver({ control, bucket }: S3Clients, { key, id }: Named): Promise<boolean> {
  try {
    await control.send(new ListPartsCommand({ Bucket: bucket, Key: key, UploadId: id, MaxParts: 1 }))
    return false
  } catch (error) {
    return isGone(error) || rethrow(error)
  }
}

async function* allParts({ control, bucket }: S3Clients, { key, id }: Named, pageSize = PAGE): AsyncGenerator<Part> {
  let after: string | undefined
  do {
    const command = new ListPartsCommand({ Bucket: bucket, Key: key, UploadId: id, MaxParts: pageSize, PartNumberMarker: after })
    const page = await control.send(command).catch(rethrow)
    yield* page.Parts ?? []
    after = page.IsTruncated ? page.NextPartNumberMarker : undefined
  } while (after)
}

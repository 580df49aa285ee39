import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
} from '@aws-sdk/client-s3'
import type { Upload } from '../object-store.ts'
import type { S3Clients } from './client.ts'
import { isGone, rethrow } from './errors.ts'
import { lastPartAt } from './parts.ts'

type OpenUpload = Pick<Upload, 'key' | 'id'> & { begun: number }

/** Drops an open upload; one that is gone is no error. */
export async function abortUpload({ control, bucket }: S3Clients, { key, id }: Pick<Upload, 'key' | 'id'>): Promise<void> {
  await control.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: id })).catch((error) => {
    if (!isGone(error)) rethrow(error)
  })
}

/** Drops whatever uploads are open for a key: those of a process that died while it wrote, which nobody else knows of. */
export async function abortUploadsOf(clients: S3Clients, key: string): Promise<void> {
  for await (const upload of openUploads(clients, key)) if (upload.key === key) await abortUpload(clients, upload)
}

/** Drops the uploads under our prefixes that nothing was written to for `olderThanMs`; answers how many. */
export async function sweepUploads(clients: S3Clients, prefixes: readonly string[], olderThanMs: number): Promise<number> {
  const before = Date.now() - olderThanMs
  let dropped = 0
  for (const prefix of prefixes) {
    for await (const upload of openUploads(clients, prefix)) {
      if (upload.begun >= before || (await lastPartAt(clients, upload)) >= before) continue
      await abortUpload(clients, upload)
      dropped++
    }
  }
  return dropped
}

/** The open uploads whose keys start so. */
async function* openUploads({ control, bucket }: S3Clients, prefix: string): AsyncGenerator<OpenUpload> {
  let after: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
  while (after) {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...after })
    const page: ListMultipartUploadsCommandOutput = await control.send(command).catch(rethrow)
    for (const upload of page.Uploads ?? []) yield openUpload(upload)
    after = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : undefined
  }
}

function openUpload({ Key, UploadId, Initiated }: MultipartUpload): OpenUpload {
  return { key: Key!, id: UploadId!, begun: Initiated?.getTime() ?? 0 }
}

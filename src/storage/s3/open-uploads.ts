import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
} from '@aws-sdk/client-s3'
import type { Upload } from '../object-store.ts'
import type { S3Clients } from './client.ts'
import { isMissing, nameOf, throwS3Error } from './errors.ts'
import { lastPartAt } from './parts.ts'

type OpenUpload = Pick<Upload, 'key' | 'id'> & { begunAt: number }

/** Drops an open upload, if it still exists. */
export async function abortUpload({ control, bucket }: S3Clients, { key, id }: Pick<Upload, 'key' | 'id'>): Promise<void> {
  await control.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: id })).catch((error) => {
    if (!isMissing(error)) throwS3Error(error)
  })
}

/**
 * Drops all open uploads of a key: left by a process that crashed while writing, and recorded
 * nowhere else.
 */
export async function abortUploadsOf(clients: S3Clients, key: string): Promise<void> {
  for await (const upload of openUploads(clients, key)) if (upload.key === key) await abortUpload(clients, upload)
}

/**
 * Drops the uploads under `prefixes` that nothing was written to for `olderThanMs`; returns how
 * many.
 */
export async function sweepUploads(clients: S3Clients, prefixes: readonly string[], olderThanMs: number): Promise<number> {
  const before = Date.now() - olderThanMs
  let dropped = 0
  for (const prefix of prefixes) {
    for await (const upload of openUploads(clients, prefix)) {
      if (upload.begunAt >= before || (await lastPartAt(clients, upload)) >= before) continue
      await abortUpload(clients, upload)
      dropped++
    }
  }
  return dropped
}

/** Yields the open uploads whose keys start with `prefix`. */
async function* openUploads({ control, bucket }: S3Clients, prefix: string): AsyncGenerator<OpenUpload> {
  let after: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
  while (after) {
    const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...after })
    const page: ListMultipartUploadsCommandOutput | undefined = await control.send(command).catch(unlessDenied)
    if (!page) return // a key that may not list the bucket; its check says so
    yield* (page.Uploads ?? []).flatMap(openUpload)
    after = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : undefined
  }
}

function unlessDenied(error: unknown): undefined {
  if (nameOf(error) !== 'AccessDenied') throwS3Error(error)
}

function openUpload({ Key, UploadId, Initiated }: MultipartUpload): OpenUpload[] {
  return Key && UploadId ? [{ key: Key, id: UploadId, begunAt: Initiated?.getTime() ?? 0 }] : []
}

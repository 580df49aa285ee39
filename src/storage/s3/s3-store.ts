import { CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { type ObjectStore, StoreUnavailable, WrongLength } from '../object-store.ts'
import { partLength } from '../parts.ts'
import { drainBody } from '../streams/receive.ts'
import { bucketCheck } from './check.ts'
import { type IdleTimeout, type S3Settings, s3Clients } from './client.ts'
import { directMode } from './direct.ts'
import { sendBody } from './download-body.ts'
import { rethrow } from './errors.ts'
import { finishUpload, sizeOf } from './finish.ts'
import { abortUpload, abortUploadsOf, sweepUploads } from './open-uploads.ts'
import { listParts } from './parts.ts'
import { openObject, readInto } from './read.ts'
import { remover } from './remove.ts'
import { PROBES } from './self-test.ts'
import { sendExact } from './upload-body.ts'
import { writeWhole } from './write.ts'

const SHARES = 'shares/'
const ZIPS = 'zips/'
/** Sweeps that come too soon are left out: a list of uploads costs money at some providers. */
const SWEEPS = 48

type Log = Parameters<ReturnType<typeof directMode>['watch']>[0]

export interface S3Store extends ObjectStore {
  /** Tests whether browsers may be let at the bucket, and lets them from now on; answers why not. */
  testDirect(): Promise<string | null>
  /** Keeps testing it, as long as the store is open. Does nothing where direct mode is not wanted. */
  watchDirect(log: Log): void
  sweepTemporary(olderThanMs: number): Promise<number>
}

/**
 * The object store in a bucket of any S3 server: an upload is a multipart upload, a part one UploadPart that streams through. Opening it connects to
 * nothing: a store that is down shows in `check`, and in StoreUnavailable of each call until it is back. `silence` is for tests. Throws when the CA file
 * cannot be read.
 */
export function s3Store(settings: S3Settings, silence?: IdleTimeout): S3Store {
  const clients = s3Clients(settings, silence)
  const { bucket } = clients
  const removeObjects = remover(clients)
  const direct = directMode(clients, settings)
  let swept = 0

  return {
    ...(settings.direct && { listParts: (upload) => listParts(clients, upload) }),
    get direct() {
      return direct.access
    },
    testDirect: () => direct.test(),
    watchDirect: (log) => settings.direct && direct.watch(log),

    async begin(key) {
      const { UploadId } = await clients.control.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: key })).catch(rethrow)
      if (!UploadId) throw new StoreUnavailable('S3 began an upload without an id')
      return UploadId
    },

    async writePart(upload, number, body, length) {
      const command = { Bucket: bucket, Key: upload.key, UploadId: upload.id, PartNumber: number, ContentLength: length }
      if (length !== partLength(upload, number)) {
        drainBody(body, length)
        throw new WrongLength(`Part ${number} has ${partLength(upload, number)} bytes, not ${length}`)
      }
      const { answer, crc32 } = await sendExact(body, length, (Body, abortSignal) =>
        clients.upload.send(new UploadPartCommand({ ...command, Body }), { abortSignal }),
      )
      if (!answer.ETag) throw new StoreUnavailable('S3 took a part and named no ETag; does a proxy strip it?')
      return { etag: answer.ETag, crc32 }
    },

    finish: (upload, parts) => finishUpload(clients, upload, parts),
    abort: (upload) => abortUpload(clients, upload),
    write: (key, body, expected) => writeWhole(clients, key, body, expected),
    read: (key, range) => openObject(clients, key, range),
    readInto: (key, start, target) => readInto(clients, key, start, target),

    async send(key, range, to) {
      await sendBody(await openObject(clients, key, range), to)
    },

    async head(key) {
      const size = await sizeOf(clients, key)
      return size === null ? null : { size }
    },

    async remove(keys) {
      await removeObjects(keys)
      for (const key of keys) if (key.startsWith(ZIPS)) await abortUploadsOf(clients, key)
    },

    async sweepTemporary(olderThanMs) {
      const now = Date.now()
      if (now - swept < olderThanMs / SWEEPS) return 0
      swept = now
      return sweepUploads(clients, [SHARES, ZIPS, PROBES], olderThanMs)
    },

    check: bucketCheck(clients, settings),

    async close() {
      direct.stop()
      clients.destroy()
    },
  }
}

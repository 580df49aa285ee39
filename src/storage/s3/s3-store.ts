import { CreateMultipartUploadCommand, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { ObjectMissing, type ObjectStore, StoreUnavailable, type Upload, WrongLength } from '../object-store.ts'
import { partLength } from '../parts.ts'
import { withSlices } from '../slices.ts'
import { drainBody } from '../streams/receive.ts'
import { bucketCheck } from './check.ts'
import { type IdleTimeout, type S3Clients, type S3Settings, s3Clients } from './client.ts'
import { directMode } from './direct.ts'
import { sendBody } from './download-body.ts'
import { nameOf, throwS3Error } from './errors.ts'
import { finishUpload, objectSize, objectValidators } from './finish.ts'
import { abortUpload, abortUploadsOf, sweepUploads } from './open-uploads.ts'
import { isOver, listParts } from './parts.ts'
import { openObject, readInto } from './read.ts'
import { remover } from './remove.ts'
import { PROBES } from './self-test.ts'
import { sendExact } from './upload-body.ts'
import { writeObject } from './write.ts'

const SHARES = 'shares/'
const ZIPS = 'zips/'
/**
 * Sweeps per `olderThanMs`; more frequent calls are ignored, because some providers charge for
 * listing uploads.
 */
const SWEEPS = 48

type Log = Parameters<ReturnType<typeof directMode>['watch']>[0]

export interface S3Store extends ObjectStore {
  /**
   * Tests whether browsers may use the bucket directly, and allows it from now on if so. Returns
   * the reason if not.
   */
  testDirect(): Promise<string | null>
  /** Repeats the test while the store is open. Does nothing if direct mode is turned off. */
  watchDirect(log: Log): void
  sweepTemporary(olderThanMs: number): Promise<number>
}

/** The most bytes that S3 accepts in one part. */
const MAX_PART_BYTES = 5 * 1024 ** 3

/**
 * Creates the object store in a bucket of any S3 server. An upload is a multipart upload, a part is
 * one streamed UploadPart. Creating it makes no connection: while a server is down, `check` and
 * each call reject with StoreUnavailable. Tests pass `idleTimeout`.
 * `warn` gets sentences for the operator about a bucket that works with limits.
 *
 * @throws the error of reading the CA file
 */
export function s3Store(settings: S3Settings, idleTimeout?: IdleTimeout, warn: (message: string) => void = () => {}): S3Store {
  const clients = s3Clients(settings, idleTimeout)
  const { bucket } = clients
  const removeObjects = remover(clients)
  const direct = directMode(clients, settings)
  const { check, warnings } = bucketCheck(clients, settings, warn)
  let sweptAt = 0

  return withSlices({
    maxPartSize: MAX_PART_BYTES,
    ...(settings.direct && {
      listParts: (upload) => listParts(clients, upload),
      validatorsOf: (key) => objectValidators(clients, key),
    }),
    get direct() {
      return direct.access
    },
    testDirect: () => direct.test(),
    watchDirect: (log) => settings.direct && direct.watch(log),

    async begin(key) {
      const { UploadId } = await clients.control.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: key })).catch(throwS3Error)
      if (!UploadId) throw new StoreUnavailable('S3 began an upload without an ID')
      return UploadId
    },

    async writePart(upload, number, body, length) {
      const command = { Bucket: bucket, Key: upload.key, UploadId: upload.id, PartNumber: number, ContentLength: length }
      if (length !== partLength(upload, number)) {
        drainBody(body, length)
        throw new WrongLength(`Part ${number} has ${partLength(upload, number)} bytes, not ${length}`)
      }
      const { response, crc32 } = await sendExact(body, length, (Body, abortSignal) =>
        clients.upload.send(new UploadPartCommand({ ...command, Body }), { abortSignal }),
      ).catch((error) => explainReset(clients, upload, error))
      if (!response.ETag) throw new StoreUnavailable('S3 accepted a part without returning an ETag; does a proxy strip it?')
      return { etag: response.ETag, crc32 }
    },

    finish: (upload, parts) => finishUpload(clients, upload, parts),
    abort: (upload) => abortUpload(clients, upload),
    write: (key, body, expected) => writeObject(clients, key, body, expected),

    async writeWhole(key, body, length) {
      await sendExact(body, length, (Body, abortSignal) =>
        clients.upload.send(new PutObjectCommand({ Bucket: bucket, Key: key, ContentLength: length, Body }), { abortSignal }),
      )
    },

    read: async (key, range) => (await openObject(clients, key, range)).body,
    readInto: (key, start, target) => readInto(clients, key, start, target),

    async send(key, range, to, onOpen) {
      const { body, size } = await openObject(clients, key, range)
      await sendBody(body, to, onOpen && (() => onOpen(size)))
    },

    async head(key) {
      const size = await objectSize(clients, key)
      return size === null ? null : { size }
    },

    async remove(keys) {
      await removeObjects(keys)
      for (const key of keys) if (key.startsWith(ZIPS)) await abortUploadsOf(clients, key)
    },

    async sweepTemporary(olderThanMs) {
      const now = Date.now()
      if (now - sweptAt < olderThanMs / SWEEPS) return 0
      sweptAt = now
      return sweepUploads(clients, [SHARES, ZIPS, PROBES], olderThanMs)
    },

    check,
    report: () => ({ warnings: warnings(), direct: { isOn: direct.access !== undefined, reason: direct.reason } }),

    async close() {
      direct.stop()
      clients.destroy()
    },
  })
}

/**
 * Some servers close the connection of a part whose upload is over before their response is read.
 */
async function explainReset(clients: S3Clients, upload: Upload, error: Error): Promise<never> {
  const isReset = /^(ECONNRESET|EPIPE)$/.test(nameOf(error.cause ?? error))
  if (isReset && (await isOver(clients, upload).catch(() => false))) throw new ObjectMissing('The upload does not exist', { cause: error })
  throw error
}

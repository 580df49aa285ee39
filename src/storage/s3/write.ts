import { finished, pipeline, type Readable, Transform, type TransformCallback } from 'node:stream'
import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { WrongLength } from '../object-store.ts'
import type { S3Clients } from './client.ts'
import { s3Error, throwS3Error } from './errors.ts'
import { objectSize } from './finish.ts'

const MiB = 1024 * 1024
const MIN_PART_BYTES = 16 * MiB
/** S3 allows 10,000. The rest is spare, for objects larger than expected. */
const MAX_EXPECTED_PARTS = 9_000
const CONCURRENT_PARTS = 2

/**
 * Returns the part length for an object of about `expected` bytes: in bytes, a whole number of MiB.
 */
function writePartSize(expected = 0): number {
  return Math.max(MIN_PART_BYTES, Math.ceil(expected / MAX_EXPECTED_PARTS / MiB) * MiB)
}

/**
 * Implements `ObjectStore.write`. Holds at most three parts in memory, and retries failed parts.
 */
export async function writeObject(clients: S3Clients, key: string, body: Readable, expected?: number): Promise<number> {
  const counter = new Counter()
  let cut: Error | undefined
  finished(body, { writable: false }, (error) => {
    if (error && !counter.destroyed) cut = error
  })
  pipeline(body, counter, () => {}) // a failure reaches the upload through `counter`
  const upload = new Upload({
    client: clients.upload,
    params: { Bucket: clients.bucket, Key: key, Body: counter },
    partSize: writePartSize(expected),
    queueSize: CONCURRENT_PARTS,
  })
  try {
    await upload.done()
  } catch (error) {
    counter.destroy()
    body.destroy()
    throw cut ? new WrongLength(`The body was cut: ${cut.message}`, { cause: cut }) : s3Error(error)
  }
  const size = await objectSize(clients, key)
  if (size === counter.bytes) return size
  await clients.control.send(new DeleteObjectCommand({ Bucket: clients.bucket, Key: key })).catch(throwS3Error)
  throw new WrongLength(`The object has ${size} bytes instead of ${counter.bytes}`)
}

class Counter extends Transform {
  bytes = 0

  constructor() {
    super({ highWaterMark: MiB })
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length
    done(null, chunk)
  }
}

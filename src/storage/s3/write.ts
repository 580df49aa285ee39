import { finished, pipeline, type Readable, Transform, type TransformCallback } from 'node:stream'
import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { WrongLength } from '../object-store.ts'
import type { S3Clients } from './client.ts'
import { rethrow, s3Error } from './errors.ts'
import { sizeOf } from './finish.ts'

const MiB = 1024 * 1024
const LEAST_PART = 16 * MiB
/** S3 takes 10,000; the rest is for an object that grows beyond what was expected. */
const PARTS = 9_000
const AT_ONCE = 2

/** The length in bytes of the parts of an object that is about `expected` bytes long, a whole number of MiB. */
export function writePartSize(expected = 0): number {
  return Math.max(LEAST_PART, Math.ceil(expected / PARTS / MiB) * MiB)
}

/** Writes an object of unknown length, as `ObjectStore.write` says. Holds three parts at most, and sends a part again itself when that fails. */
export async function writeWhole(clients: S3Clients, key: string, body: Readable, expected?: number): Promise<number> {
  const counted = new Counter()
  let cut: Error | undefined
  finished(body, { writable: false }, (error) => {
    if (error && !counted.destroyed) cut = error
  })
  pipeline(body, counted, () => {}) // a failure reaches the upload through `counted`
  const upload = new Upload({
    client: clients.upload,
    params: { Bucket: clients.bucket, Key: key, Body: counted },
    partSize: writePartSize(expected),
    queueSize: AT_ONCE,
  })
  try {
    await upload.done()
  } catch (error) {
    counted.destroy()
    body.destroy()
    throw cut ? new WrongLength(`The body was cut: ${cut.message}`, { cause: cut }) : s3Error(error)
  }
  const size = await sizeOf(clients, key)
  if (size === counted.bytes) return size
  await clients.control.send(new DeleteObjectCommand({ Bucket: clients.bucket, Key: key })).catch(rethrow)
  throw new WrongLength(`The object has ${size} bytes instead of ${counted.bytes}`)
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

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { announce, call, fill, MiB, newShare } from '../support/api.ts'
import { below, type Figure, ratio, seconds } from '../support/figures.ts'
import { type Bucket, hasRgw, startRgw } from '../support/rgw.ts'
import { type Server, startServer } from '../support/server.ts'
import { transfer } from '../support/transfer.ts'

const CONNECTIONS = 4
const SIZE = 256 * MiB
/** Announced size: large enough for parts of 16 MiB, of which only 40 are sent. */
const ANNOUNCED = 10_000 * 16 * MiB
const AT_ONCE = 40

/**
 * Measures uploads and downloads with a Ceph gateway through the API against the SDK alone, and the
 * API's memory with 40 parts at once.
 */
export async function s3(): Promise<Figure[]> {
  if (!hasRgw())
    return [{ what: 'S3', value: 'not measured: run test/support/s3/s3-server.sh install', target: 'at least 0.85', met: false }]
  const bucket = await startRgw()
  const server = await startServer(undefined, bucket.variables)
  return [await uploads(server, bucket), await downloads(server, bucket), await memory(server)]
}

async function uploads(server: Server, { client, name }: Bucket): Promise<Figure> {
  const share = await newShare(server)
  const { file, parts } = await announce(server, share, 'size.bin', SIZE)
  const partSize = file.partSize
  await call(server, 'DELETE', `/shares/${share}/files/${file.id}`)

  async function ours(): Promise<number> {
    const { file, parts } = await announce(server, share, 'big.bin', SIZE)
    const taken = await seconds(() => transfer(parts, CONNECTIONS))
    await call(server, 'DELETE', `/shares/${share}/files/${file.id}`)
    return SIZE / taken / 1e6
  }

  async function straight(): Promise<number> {
    const Key = 'straight'
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: name, Key }))
    const numbers = parts.keys()
    const lane = async () => {
      for (const at of numbers) {
        const part = { Bucket: name, Key, UploadId, PartNumber: at + 1, ContentLength: partSize }
        await client.send(new UploadPartCommand({ ...part, Body: blocks(partSize) }))
      }
    }
    const taken = await seconds(() => Promise.all(Array.from({ length: CONNECTIONS }, lane)))
    await client.send(new AbortMultipartUploadCommand({ Bucket: name, Key, UploadId }))
    return SIZE / taken / 1e6
  }

  return ratio(`upload of ${partSize / MiB} MiB parts on ${CONNECTIONS} connections, to the SDK straight`, 0.85, 'MB/s', ours, straight)
}

async function downloads(server: Server, { client, name }: Bucket): Promise<Figure> {
  const share = await newShare(server)
  const [id] = await fill(server, share, [SIZE])
  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: name, Prefix: 'shares/' }))
  const Key = Contents!.find(({ Size }) => Size === SIZE)!.Key!
  const load = { method: 'GET', url: `${server.url}/api/shares/${share}/files/${id}`, headers: { cookie: server.cookie } }
  const ours = async () => {
    const loads = Array.from({ length: CONNECTIONS }, () => load)
    return (SIZE * CONNECTIONS) / (await seconds(() => transfer(loads, CONNECTIONS))) / 1e6
  }
  const straight = async () => {
    const read = async () => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: name, Key }))
      const source = Body as IncomingMessage
      await new Promise((resolve, reject) => source.resume().once('end', resolve).once('error', reject))
    }
    return (SIZE * CONNECTIONS) / (await seconds(() => Promise.all(Array.from({ length: CONNECTIONS }, read)))) / 1e6
  }
  return ratio(`download on ${CONNECTIONS} connections, to the SDK straight`, 0.85, 'MB/s', ours, straight)
}

async function memory(server: Server): Promise<Figure> {
  const share = await newShare(server)
  const { file, parts } = await announce(server, share, 'vast.bin', ANNOUNCED)
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, server.resident())
  }, 50)
  const idle = server.resident()
  await transfer(parts.slice(0, AT_ONCE), AT_ONCE)
  await transfer(parts.slice(0, AT_ONCE), AT_ONCE)
  clearInterval(watch)
  await call(server, 'DELETE', `/shares/${share}/files/${file.id}`)
  return below(`resident memory at ${AT_ONCE} parts of ${file.partSize / MiB} MiB at once`, most, 300, 'MB', `idle ${idle.toFixed(0)} MB`)
}

/** Returns a stream of `bytes` bytes that is cheap to produce. */
function blocks(bytes: number): Readable {
  const block = Buffer.alloc(MiB, 0xa5)
  let left = bytes
  return new Readable({
    highWaterMark: MiB,
    read() {
      const next = Math.min(left, MiB)
      left -= next
      this.push(next > 0 ? block.subarray(0, next) : null)
    },
  })
}

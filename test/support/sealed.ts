import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Bytes } from '../../uploader/encryption/bytes.ts'
import { fileKeyOf, newSealedName, type ShareKey } from '../../uploader/encryption/keys.ts'
import { openStream, type SealedFile } from '../../uploader/encryption/open-stream.ts'
import { SealedSource } from '../../uploader/encryption/sealed-source.ts'
import { type PlainRange, sealedRange } from '../../uploader/encryption/segments.ts'

/** Returns bytes that the vectors describe: SHA-256 of `label:0`, `label:1` and so on. */
export function generated(label: string, length: number): Bytes {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, n) => createHash('sha256').update(`${label}:${n}`).digest())
  return new Uint8Array(Buffer.concat(blocks).subarray(0, length))
}

/** Returns a file that is encrypted while it is read, and how to decrypt it. */
export async function sealedFile(share: ShareKey, content: Bytes): Promise<{ source: SealedSource; file: SealedFile }> {
  const sealedName = newSealedName()
  const key = (await fileKeyOf(share, sealedName))!
  const plain = {
    name: 'a.bin',
    size: content.length,
    type: '',
    lastModified: 1,
    slice: (start: number, end: number) => new Blob([content.slice(start, end)]),
  }
  return { source: new SealedSource(plain, { sealedName, key, crc32 }), file: { key, size: content.length } }
}

/** Returns all stored bytes of a file. */
export async function sealedBytes(source: SealedSource): Promise<Bytes> {
  return new Uint8Array(await source.slice(0, source.size).arrayBuffer())
}

/** Decrypts a range of stored bytes. Chunks of the stream have odd lengths. */
export async function opened(sealed: Uint8Array, file: SealedFile, plain?: PlainRange): Promise<Buffer> {
  const range = sealedRange(file.size, plain)
  const salt = range.saltAt === null ? undefined : new Uint8Array(sealed.subarray(range.saltAt, range.saltAt + 16))
  const stored = streamOf(sealed.subarray(range.start, plain ? range.end : undefined))
  return Buffer.from(await new Response(openStream(stored, file, { range, ...(salt && { salt }) })).arrayBuffer())
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return ReadableStream.from(
    (function* () {
      for (let start = 0; start < bytes.length; start += 50_001) yield bytes.subarray(start, start + 50_001)
    })(),
  )
}

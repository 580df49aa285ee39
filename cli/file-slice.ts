import { type FileHandle, open } from 'node:fs/promises'
import type { FileSource } from '../uploader/types.ts'

const blockSize = 65_536 // bytes read at once

/**
 * A file on disk to upload. Its bytes are read while they are sent, and only if the file has not
 * changed.
 */
export class DiskFile implements FileSource {
  readonly type = ''
  readonly name: string
  readonly path: string
  readonly size: number
  readonly lastModified: number

  constructor(name: string, path: string, { size, lastModified }: { size: number; lastModified: number }) {
    this.name = name
    this.path = path
    this.size = size
    this.lastModified = lastModified
  }

  slice(start: number, end: number): Blob {
    return new FileSlice(this, start, end) as unknown as Blob // the uploader uses only what FileSlice implements
  }
}

/**
 * The part of Blob that the uploader uses, on a file's bytes. A file handle is open only while they
 * are read.
 */
class FileSlice implements Pick<Blob, 'size' | 'stream' | 'arrayBuffer'> {
  readonly #file: DiskFile
  readonly #start: number
  readonly size: number

  constructor(file: DiskFile, start: number, end: number) {
    this.#file = file
    this.#start = start
    this.size = end - start
  }

  slice(start: number, end: number): FileSlice {
    return new FileSlice(this.#file, this.#start + start, Math.min(this.#start + end, this.#start + this.size))
  }

  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return ReadableStream.from(blocks(this.#file, this.#start, this.size)) as ReadableStream<Uint8Array<ArrayBuffer>>
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return new Response(this.stream()).arrayBuffer()
  }
}

async function* blocks(source: DiskFile, start: number, length: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const file = await open(source.path)
  try {
    await refuseChanged(source, file)
    for (let read = 0; read < length; ) {
      const block = new Uint8Array(Math.min(blockSize, length - read))
      const { bytesRead } = await file.read(block, 0, block.length, start + read)
      if (bytesRead === 0) throw new Error(`${source.path} is shorter now`)
      read += bytesRead
      yield block.subarray(0, bytesRead)
    }
    await refuseChanged(source, file)
  } finally {
    await file.close()
  }
}

/** A file that is written during the upload would arrive as a mixture of two versions. */
async function refuseChanged({ path, size, lastModified }: DiskFile, file: FileHandle): Promise<void> {
  const now = await file.stat()
  if (now.size !== size || now.mtimeMs !== lastModified) throw new Error(`${path} has changed`)
}

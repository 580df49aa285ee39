import type { JoinBytes } from '../uploader/pack.ts'

/**
 * Joins slices of files on disk, which are read while they are sent. The result has the part of Blob
 * that the uploader uses.
 */
export const joinSlices: JoinBytes = (parts) => {
  const joined: Pick<Blob, 'size' | 'stream' | 'slice'> = {
    size: parts.reduce((sum, { size }) => sum + size, 0),
    stream: () => ReadableStream.from(chunks(parts)) as ReadableStream<Uint8Array<ArrayBuffer>>,
    slice: (start, end) => parts[0]?.slice(start, end) ?? new Blob([]), // only to see whether the start can be read
  }
  return joined as Blob
}

async function* chunks(parts: readonly Blob[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* part.stream() as unknown as AsyncIterable<Uint8Array>
}

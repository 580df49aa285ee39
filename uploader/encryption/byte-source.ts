import type { Bytes } from './bytes.ts'

/** Bytes that are read one after the other. */
export interface ByteSource {
  /** Returns the next bytes, which are valid until the next call; null after the last ones. */
  read(): Promise<Uint8Array | null>
  /** Ends a pending `read` too. */
  cancel(reason?: unknown): Promise<void>
}

const bufferMaxBytes = 262_144

/**
 * Reads a stream into the same buffer again and again, where the browser supports that for this
 * stream. New buffers take more time than decrypting. `length` is what the stream has, in bytes.
 */
export function byteSourceOf(stream: ReadableStream<Uint8Array>, length = bufferMaxBytes): ByteSource {
  const reader = byteReaderOf(stream)
  if (!reader) return chunksOf(stream)
  let buffer = new ArrayBuffer(Math.min(length, bufferMaxBytes))
  return {
    async read() {
      const { done, value } = await reader.read<Bytes>(new Uint8Array(buffer))
      if (value) buffer = value.buffer
      return done ? null : value
    },
    cancel: (reason) => reader.cancel(reason),
  }
}

function byteReaderOf(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  try {
    return stream.getReader({ mode: 'byob' })
  } catch {
    return null // not a stream of bytes, as all are in WebKit
  }
}

function chunksOf(stream: ReadableStream<Uint8Array>): ByteSource {
  const reader = stream.getReader()
  return {
    read: async () => (await reader.read()).value ?? null,
    cancel: (reason) => reader.cancel(reason),
  }
}

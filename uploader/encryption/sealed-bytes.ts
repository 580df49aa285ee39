import type { JoinBytes } from '../pack.ts'
import type { Transport } from '../transport.ts'

/** Bytes that are encrypted when `toBlob` is called. */
interface Sealable {
  /** Stops when `signal` aborts. */
  toBlob(signal: AbortSignal): Promise<Blob>
}

const isSealable = (bytes: object): bytes is Sealable => 'toBlob' in bytes

/** Returns a transport that encrypts what it sends. Browsers send only real blobs. */
export function sealingTransport(transport: Transport): Transport {
  return {
    call: transport.call.bind(transport),
    put: async (path, bytes, sending) => transport.put(path, isSealable(bytes) ? await bytes.toBlob(sending.signal) : bytes, sending),
  }
}

/** Joins slices of small files, which are encrypted when the pack is sent. */
export const joinSealed: JoinBytes = (parts) => {
  const joined: Pick<Blob, 'size' | 'slice'> & Sealable = {
    size: parts.reduce((sum, { size }) => sum + size, 0),
    slice: (start, end) => parts[0]?.slice(start, end) ?? new Blob([]), // only to see whether the start can be read
    toBlob: async (signal) => new Blob(await Promise.all(parts.map((part) => (isSealable(part) ? part.toBlob(signal) : part)))),
  }
  return joined as unknown as Blob
}

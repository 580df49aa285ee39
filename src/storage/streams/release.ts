/** Detaches a chunk's memory, which frees it without a garbage collection; only when the chunk is all of its ArrayBuffer. */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

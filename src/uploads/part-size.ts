const MiB = 1_048_576
const smallestPart = 8 * MiB
const mostParts = 10_000

/** Bytes of every part but the last: 8 MiB, or as many whole MiB as keep a file of `size` bytes within 10,000 parts (the limit of S3). */
export function partSizeFor(size: number): number {
  return Math.max(smallestPart, Math.ceil(size / mostParts / MiB) * MiB)
}

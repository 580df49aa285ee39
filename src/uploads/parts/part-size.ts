const MiB = 1_048_576
const large = 1024 * MiB
/** What S3 takes of parts. */
export const mostParts = 10_000

/**
 * Bytes of every part but the last: 8 MiB, 16 MiB from files of 1 GiB on, or as many whole MiB as keep a file of `size` bytes within `mostParts`.
 */
export function partSizeFor(size: number): number {
  const smallestPart = size < large ? 8 * MiB : 16 * MiB
  return Math.max(smallestPart, Math.ceil(size / mostParts / MiB) * MiB)
}

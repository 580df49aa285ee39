const MiB = 1_048_576
const GiB = 1024 * MiB
/** The most parts that S3 allows. */
export const maxParts = 10_000

/**
 * Returns the part length in bytes for a file of `size` bytes: 8 MiB, 16 MiB from 1 GiB on, or more
 * whole MiB if the file would otherwise exceed `maxParts`.
 */
export function partSizeFor(size: number): number {
  const minPartSize = size < GiB ? 8 * MiB : 16 * MiB
  return Math.max(minPartSize, Math.ceil(size / maxParts / MiB) * MiB)
}

import type { UploadSnapshot } from '../../../uploader/types.ts'

/** Returns how much of an upload is done, from 0 to 1; 1 only when it is completed. */
export function fractionOf({ state, files, sentBytes, totalBytes, doneFiles }: UploadSnapshot): number {
  if (state === 'completed') return 1
  const fraction = totalBytes > 0 ? sentBytes / totalBytes : doneFiles / Math.max(1, files.length)
  return Math.min(fraction, 0.999)
}

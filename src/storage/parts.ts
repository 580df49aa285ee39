import { type StoredPart, type Upload, WrongLength } from './object-store.ts'

type PartedUpload = Pick<Upload, 'size' | 'partSize'>

/** Returns the number of parts of an upload. */
export function partCount({ size, partSize }: PartedUpload): number {
  return Math.ceil(size / partSize)
}

/**
 * Returns the length in bytes of part `number` (from 1): `partSize`, or the rest for the last.
 *
 * @throws {WrongLength} the upload has no such part
 */
export function partLength(upload: PartedUpload, number: number): number {
  const count = partCount(upload)
  if (!Number.isInteger(number) || number < 1 || number > count)
    throw new WrongLength(`There is no part ${number}: the upload has ${count}`)
  return number < count ? upload.partSize : upload.size - (count - 1) * upload.partSize
}

/**
 * Checks that `parts` are all parts of the upload, in ascending order and with the right lengths.
 *
 * @throws {WrongLength} they are not
 */
export function checkParts(upload: PartedUpload, parts: readonly StoredPart[]): void {
  const count = partCount(upload)
  if (parts.length !== count) throw new WrongLength(`${parts.length} parts are there, the upload has ${count}`)
  for (const [index, { number, size }] of parts.entries()) {
    if (number !== index + 1) throw new WrongLength(`Part ${index + 1} is missing or out of order`)
    if (size !== partLength(upload, number))
      throw new WrongLength(`Part ${number} has ${size} bytes instead of ${partLength(upload, number)}`)
  }
}

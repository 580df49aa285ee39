import type { Bytes } from '../../uploader/encryption/bytes.ts'
import { EncryptionError } from '../../uploader/encryption/error.ts'
import { ExactReader } from '../../uploader/encryption/exact-reader.ts'
import { fileKeyOf, saltBytes } from '../../uploader/encryption/keys.ts'
import { openedRecords } from '../../uploader/encryption/open-stream.ts'
import { type PlainRange, sealedRange } from '../../uploader/encryption/segments.ts'
import type { DecryptedFile, DecryptedShare } from './share.ts'
import { StoredBytes } from './stored-bytes.ts'

/**
 * Generates the plaintext of a file from `start` up to `end`, by default all of it.
 * @throws {EncryptionError} `damaged`
 * @throws {Error} the stored bytes can't be read
 */
export async function* fileChunks(
  { key, storedAt }: Pick<DecryptedShare, 'key' | 'storedAt'>,
  { id, sealedName, size }: DecryptedFile,
  signal: AbortSignal,
  plain: PlainRange = { start: 0, end: size },
): AsyncGenerator<Bytes, void> {
  const fileKey = await fileKeyOf(key, sealedName)
  if (!fileKey) throw new EncryptionError('damaged', 'The name of the file is invalid.')
  const address = `${storedAt}${id}?download=false`
  const range = sealedRange(size, plain)
  const salt = range.saltAt === null ? undefined : await saltAt(address, range.saltAt, signal)
  const stored = new StoredBytes(address, range.start, range.end, signal)
  yield* openedRecords(stored, { key: fileKey, size }, { range, ...(salt && { salt }) })
}

async function saltAt(address: string, at: number, signal: AbortSignal): Promise<Bytes> {
  const reader = new ExactReader(new StoredBytes(address, at, at + saltBytes, signal))
  const salt = await reader.read(saltBytes)
  await reader.expectEnd()
  return salt
}

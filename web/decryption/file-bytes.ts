import { type Bytes, joined } from '../../uploader/encryption/bytes.ts'
import { EncryptionError } from '../../uploader/encryption/error.ts'
import { fileKeyOf, saltBytes } from '../../uploader/encryption/keys.ts'
import { openStream } from '../../uploader/encryption/open-stream.ts'
import { type PlainRange, sealedRange } from '../../uploader/encryption/segments.ts'
import type { DecryptedFile, DecryptedShare } from './share.ts'
import { storedChunks } from './stored-bytes.ts'
import { allOf, chunksOf, streamOf } from './streams.ts'

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
  const salt = range.saltAt === null ? undefined : await read(address, range.saltAt, signal)
  const sealed = streamOf(() => storedChunks(address, range.start, range.end, signal))
  yield* chunksOf(openStream(sealed, { key: fileKey, size }, { range, ...(salt && { salt }) }))
}

async function read(address: string, at: number, signal: AbortSignal): Promise<Bytes> {
  return joined(...(await allOf(storedChunks(address, at, at + saltBytes, signal))))
}

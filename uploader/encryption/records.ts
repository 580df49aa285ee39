import { type Bytes, randomBytes } from './bytes.ts'
import { EncryptionError } from './error.ts'
import { saltBytes, segmentKeyOf, type WebCryptoKey } from './keys.ts'
import { recordBytes, recordCount, sealedSegment, tagBytes } from './segments.ts'

/** A segment's position in its file. Segments are counted from 0. */
export interface SegmentPosition {
  number: number
  count: number
}

/**
 * Encrypts one segment: returns a fresh salt and its records. The same segment can be encrypted
 * again, even with different content. Only tests pass a salt, which must never be used twice.
 */
export async function sealSegment(
  fileKey: WebCryptoKey,
  { number, count }: SegmentPosition,
  content: Bytes,
  salt = randomBytes(saltBytes),
): Promise<Bytes> {
  const sealed = new Uint8Array(sealedSegment(content.length))
  const key = await segmentKeyOf(fileKey, salt, number, count)
  sealed.set(salt)
  const records = recordCount(content.length)
  const seal = async (record: number) => {
    const plain = content.subarray(record * recordBytes, (record + 1) * recordBytes)
    const bytes = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonceOf(record, record === records - 1) }, key, plain)
    sealed.set(new Uint8Array(bytes), saltBytes + record * (recordBytes + tagBytes))
  }
  await Promise.all(Array.from({ length: records }, (_, record) => seal(record)))
  return sealed
}

/**
 * Decrypts one record of a segment. WebCrypto copies `sealed` at once, so the caller may overwrite
 * it.
 * @throws EncryptionError `damaged`
 */
export async function openRecord(segmentKey: WebCryptoKey, record: number, isLast: boolean, sealed: Bytes): Promise<Bytes> {
  try {
    return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv: nonceOf(record, isLast) }, segmentKey, sealed))
  } catch {
    throw new EncryptionError('damaged', 'The file has been changed or damaged since it was encrypted.')
  }
}

/** 11 bytes with the record's number, and a last byte that is 1 in the last record of a segment. */
function nonceOf(record: number, isLast: boolean): Bytes {
  const nonce = new Uint8Array(12)
  new DataView(nonce.buffer).setUint32(7, record)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

import {
  documentHeaderBytes,
  documentMaxBytes,
  documentMinBytes,
  documentRevisionMax,
  documentVersion,
} from '../../src/shares/document/limits.ts'
import { type Bytes, joined, randomBytes, uint32 } from './bytes.ts'
import { EncryptionError } from './error.ts'
import { documentKeyOf, keyCheckOf, type ShareKey, saltBytes } from './keys.ts'
import { readContent, type ShareContent } from './share-content.ts'

const nonce = new Uint8Array(12) // the key is used once, because its salt is random
const paddedMin = 1_024
const space = 0x20
const decoder = new TextDecoder('utf-8', { fatal: true })

/** A decrypted document. */
export interface OpenedDocument {
  revision: number
  content: ShareContent
}

/**
 * Encrypts what a share contains: names, sizes and checksums of its files. The first document of a
 * share has revision 1, the next one 2 and so on.
 * @throws RangeError when the document would exceed 16 MiB, or the revision is out of range
 */
export async function sealDocument(key: ShareKey, revision: number, content: ShareContent): Promise<Bytes> {
  if (!(revision >= 1 && revision <= documentRevisionMax)) throw new RangeError(`No document has revision ${revision}`)
  const salt = randomBytes(saltBytes)
  const header = joined(new Uint8Array([documentVersion]), uint32(revision), await keyCheckOf(key, salt), salt)
  const plain = padded(joined(JSON.stringify(content)))
  if (plain.length + documentMinBytes - paddedMin > documentMaxBytes)
    throw new RangeError('The share has too many files, or their names are too long')
  const algorithm = { name: 'AES-GCM', iv: nonce, additionalData: header }
  return joined(header, new Uint8Array(await crypto.subtle.encrypt(algorithm, await documentKeyOf(key, salt), plain)))
}

/**
 * Decrypts the document of a share. `seen` is the highest revision that this client has seen of it.
 * @throws EncryptionError
 */
export async function openDocument(key: ShareKey, bytes: Bytes, seen = 0): Promise<OpenedDocument> {
  if (bytes.length === 0) throw damaged()
  if (bytes[0] !== documentVersion) throw new EncryptionError('unknown_version', 'The share was encrypted by a later version of Razorbill.')
  if (bytes.length < documentMinBytes || bytes.length > documentMaxBytes) throw damaged()
  const [header, salt] = [bytes.slice(0, documentHeaderBytes), bytes.slice(documentHeaderBytes - saltBytes, documentHeaderBytes)]
  const check = await keyCheckOf(key, salt)
  if (check.some((byte, index) => byte !== header[5 + index])) throw new EncryptionError('wrong_key', 'The key or the password is wrong.')
  const algorithm = { name: 'AES-GCM', iv: nonce, additionalData: header }
  const plain = await crypto.subtle
    .decrypt(algorithm, await documentKeyOf(key, salt), bytes.slice(documentHeaderBytes))
    .catch(() => Promise.reject(damaged()))
  const revision = new DataView(header.buffer).getUint32(1)
  if (revision < seen) throw new EncryptionError('old_document', 'The server sent an older list of files than before.')
  return { revision, content: readContent(parsed(plain)) }
}

/**
 * Appends spaces up to the next length with few significant bits (Padmé), at least 1,024 bytes, so
 * that the length says little: it grows by at most 12 %.
 */
function padded(json: Bytes): Bytes {
  const exponent = Math.floor(Math.log2(Math.max(json.length, paddedMin)))
  const step = 2 ** (exponent - Math.floor(Math.log2(exponent)) - 1)
  const result = new Uint8Array(Math.max(paddedMin, Math.ceil(json.length / step) * step)).fill(space)
  result.set(json)
  return result
}

function parsed(plain: ArrayBuffer): unknown {
  try {
    return JSON.parse(decoder.decode(plain))
  } catch {
    throw damaged()
  }
}

const damaged = () => new EncryptionError('damaged', 'The list of files has been changed or damaged since it was encrypted.')

import { type Bytes, fromBase64Url, joined, randomBytes, toBase64Url, uint32 } from './bytes.ts'

/** A `CryptoKey`, whose type has another name in Node than in browsers. */
export type WebCryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const none = new Uint8Array(0)
const keyBits = 256
export const linkKeyBytes = 32
export const saltBytes = 16

/** The secret of an encrypted share, from which all its keys are derived. */
export interface ShareKey {
  /** An HKDF key that can't be exported, so that a browser can store it. */
  secret: WebCryptoKey
  /** What the server receives instead of the password; null without a password. */
  gatePassword: string | null
}

/**
 * Returns the secret of a share from its link's key and its password. With a password this takes up
 * to a second and 64 MiB.
 */
export async function shareKeyOf(linkKey: Bytes, password = ''): Promise<ShareKey> {
  return shareKeyFrom(await keyMaterialOf(linkKey, password))
}

/**
 * Returns what `shareKeyFrom` needs, to be stored instead of the password: the link's key, and after
 * it 32 bytes that are derived from the password, if there is one.
 */
export async function keyMaterialOf(linkKey: Bytes, password: string): Promise<Bytes> {
  if (!password) return linkKey
  const { stretchPassword } = await import('./password.ts')
  const salt = (await bitsOf(await hkdfKey(linkKey), none, 'razorbill/1/password-salt')).subarray(0, saltBytes)
  return joined(linkKey, await stretchPassword(password, salt))
}

/** Returns the secret of a share from what `keyMaterialOf` has returned. */
export async function shareKeyFrom(material: Bytes): Promise<ShareKey> {
  const mixed = await hkdfKey(material)
  const secret = await hkdfKey(await bitsOf(mixed, none, 'razorbill/1/share'))
  const hasPassword = material.length > linkKeyBytes
  return { secret, gatePassword: hasPassword ? toBase64Url(await bitsOf(mixed, none, 'razorbill/1/gate')) : null }
}

/** Returns a new random name for a file on the server. It is the salt of the file's key. */
export const newSealedName = (): string => toBase64Url(randomBytes(saltBytes))

/**
 * Returns the key of the file that has this name on the server, from which the keys of its segments
 * are derived; null for a name that no encrypted file has.
 */
export async function fileKeyOf({ secret }: ShareKey, sealedName: string): Promise<WebCryptoKey | null> {
  const salt = fromBase64Url(sealedName, saltBytes)
  return salt && hkdfKey(await bitsOf(secret, salt, 'razorbill/1/file'))
}

/** Returns the key of a segment; segments are counted from 0. */
export function segmentKeyOf(fileKey: WebCryptoKey, salt: Bytes, number: number, count: number): Promise<WebCryptoKey> {
  return aesKeyOf(fileKey, salt, joined('razorbill/1/segment', uint32(number), uint32(count)))
}

/** Returns the key of a document. */
export function documentKeyOf({ secret }: ShareKey, salt: Bytes): Promise<WebCryptoKey> {
  return aesKeyOf(secret, salt, joined('razorbill/1/document'))
}

/** Returns eight bytes that tell a wrong key from a damaged document. */
export async function keyCheckOf({ secret }: ShareKey, salt: Bytes): Promise<Bytes> {
  return (await bitsOf(secret, salt, 'razorbill/1/key-check')).subarray(0, 8)
}

function hkdfKey(bytes: Bytes): Promise<WebCryptoKey> {
  return crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveBits', 'deriveKey'])
}

async function bitsOf(key: WebCryptoKey, salt: Bytes, label: string): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info: joined(label) }, key, keyBits))
}

function aesKeyOf(key: WebCryptoKey, salt: Bytes, info: Bytes): Promise<WebCryptoKey> {
  const aes = { name: 'AES-GCM', length: keyBits }
  return crypto.subtle.deriveKey({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, aes, false, ['encrypt', 'decrypt'])
}

import { concat } from '../concat.ts'

/** Bytes that own their buffer, as WebCrypto wants them. */
export type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

/** Returns bytes one after the other. Texts are encoded as UTF-8. */
export function joined(...pieces: readonly (Bytes | string)[]): Bytes {
  return concat(pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece)))
}

/** Returns a number from 0 to 2^32 - 1 as four bytes, most significant first. */
export function uint32(value: number): Bytes {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

/** Returns random bytes. */
export const randomBytes = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length))

/** Encodes at most a few kilobytes as base64url without padding. */
export function toBase64Url(bytes: Bytes): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Decodes base64url without padding; null when the text is not the encoding of `length` bytes. */
export function fromBase64Url(text: string, length: number): Bytes | null {
  if (text.length !== Math.ceil((length * 4) / 3) || !/^[\w-]*$/.test(text)) return null
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
  return toBase64Url(bytes) === text ? bytes : null
}

import { createHash } from 'node:crypto'

/**
 * Derives a UUID (version 8, RFC 9562) from texts, so that a later run recognizes what an earlier
 * run imported.
 */
export function derivedUuid(...texts: string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(texts)).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Derives a link of 22 characters that can't be guessed without `secret`. */
export function derivedLink(secret: string, ...texts: string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([secret, ...texts]))
    .digest('base64url')
    .slice(0, 22)
}

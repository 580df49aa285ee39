const atom = String.raw`[^\s@.,:;"()<>[\]\\\p{C}]+`
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?`

/**
 * An email address with a full domain name. Letters of every script are allowed (RFC 6531), quoted
 * local parts and IP addresses are not.
 */
export const emailFormat = new RegExp(`^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${label}$`, 'u')

/** A UUID without the prefix `urn:uuid:`, which ajv-formats accepts and PostgreSQL does not. */
export const uuidFormat = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns whether a text is a lower-case UUID. PostgreSQL would reject a query with other text. */
export function isUuid(text: string): boolean {
  return uuidFormat.test(text) && text === text.toLowerCase()
}

const atom = String.raw`[^\s@.,:;"()<>[\]\\\p{C}]+`
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?`

/** An e-mail address with a full domain name; letters of every script (RFC 6531), no quoted local part, no IP address. */
export const emailFormat = new RegExp(`^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${label}$`, 'u')

/** A UUID as PostgreSQL reads it; ajv-formats also accepts `urn:uuid:` before it, which PostgreSQL does not. */
export const uuidFormat = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text is an id as the database makes them: anything else would be an error there. */
export function isUuid(text: string): boolean {
  return uuidFormat.test(text) && text === text.toLowerCase()
}

const atom = String.raw`[^\s@.,:;"()<>[\]\\\p{C}]+`
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?`

/** An e-mail address with a full domain name; letters of every script (RFC 6531), no quoted local part, no IP address. */
export const emailFormat = new RegExp(`^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${label}$`, 'u')

/**
 * Parts signed per address: more than any connection can carry, but too few to keep a replica busy
 * with signing.
 */
export const signedPartsPerAddress = { name: 'sign-part', attempts: 6000, seconds: 60 }
/** Maximum length of one text part of a form, in bytes. */
export const fieldMaxBytes = 65_536
/** Maximum number of text parts of a form, which may name 200 recipients one by one. */
export const fieldsMax = 200
/** Maximum length of all text parts of a form together, in bytes. */
export const textMaxBytes = 1_048_576
/** Bytes of a form that count as the head of a file's part when only the form's length is known. */
export const partHeadBytes = 1_024
/**
 * Maximum text that a caller without permission to share may send before naming a reverse share, in
 * bytes.
 */
export const strangerTextMaxBytes = 16_384

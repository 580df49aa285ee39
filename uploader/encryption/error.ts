/**
 * `link_key_invalid`: the text is no key; `wrong_key`: the key or the password belongs to another
 * share; `damaged`: the bytes are not those that were encrypted; `old_document`: a newer document
 * was seen before; `unknown_version`: a later version of Razorbill wrote it.
 */
export type EncryptionProblem = 'link_key_invalid' | 'wrong_key' | 'damaged' | 'old_document' | 'unknown_version'

/** Encrypted data that can't be opened. */
export class EncryptionError extends Error {
  readonly code: EncryptionProblem

  constructor(code: EncryptionProblem, message: string) {
    super(message)
    this.code = code
  }
}

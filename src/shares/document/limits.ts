/** Maximum length of the encrypted document of a share, in bytes. */
export const documentMaxBytes = 16 * 1_048_576
/** Length of a document's header in bytes: version, revision, key check and salt. */
export const documentHeaderBytes = 29
/** Shortest document: the header, 1,024 bytes of padded JSON, and a tag. */
export const documentMinBytes = documentHeaderBytes + 1_024 + 16
/** The version of the format that `docs/encryption.md` describes. */
export const documentVersion = 1
/** Last revision that a document can have. */
export const documentRevisionMax = 0xffff_ffff
/** Matches the name that an encrypted file has on the server: its salt of 16 bytes in base64url. */
export const sealedNamePattern = '^[A-Za-z0-9_-]{21}[AQgw]$'
/** Bytes that the document of a share may have beside those for its files. */
export const documentSpareBytes = 65_536
/** Bytes that a document may have for each file: a name of 4,096 bytes, escaped. */
export const documentBytesPerFile = 8_192

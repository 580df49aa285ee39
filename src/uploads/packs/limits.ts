/** Maximum number of files of a pack. */
export const packFilesMax = 256
/** Maximum length of all files of a pack together, in bytes. */
export const packMaxBytes = 8 * 1_048_576
/** Files from this length on, in bytes, are uploaded one by one. */
export const packedFileMaxBytes = 1_048_576
/** Maximum length of a pack's manifest, in bytes: 256 names of 4,096 bytes, escaped. */
export const manifestMaxBytes = 2 * 1_048_576

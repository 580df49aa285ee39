import { fileNameMaxBytes } from '../shares/limits.ts'

/** Files up to this number are part of the page of a share. */
export const maxStartFiles = 1_000
/** Files of a selection that are named one by one. Folders may contain more. */
export const selectedFilesMax = 25_000
/** Folders of a selection. */
export const selectedFoldersMax = 100
/** The length of a selection's token, so that every proxy accepts the address. */
export const selectionMaxCharacters = 6_000
/**
 * The length of a selection's JSON in bytes: IDs of 36 characters, and folder names with every
 * character escaped, which triples their length at most.
 */
export const selectionMaxBytes = 100 + selectedFilesMax * (36 + 3) + selectedFoldersMax * (3 * fileNameMaxBytes + 3)

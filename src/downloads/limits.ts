/** Files of a selection that are named one by one. Folders may contain more. */
export const selectedFilesMax = 25_000
/** Folders of a selection. */
export const selectedFoldersMax = 100
/** The length of a selection's token, so that every proxy accepts the address. */
export const selectionMaxCharacters = 6_000

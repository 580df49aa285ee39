import { showInvisible } from './invisible-characters.ts'

/** The data that a share's title is made from. */
export interface TitledShare {
  name: string | null
  /** The name of its first file, with folders; null without files. */
  firstFile: string | null
  fileCount: number
  /** Whether it is a text, whose only file has no name of its own. */
  kind: 'files' | 'text'
  /** Whether only its visitors know its name and those of its files. */
  encrypted?: boolean
}

/** The texts of titles in the reader's language. */
export interface TitleTexts {
  text: string
  andMore(name: string, count: number): string
}

/**
 * Returns a share's title for lists, headings and emails: its name, its first file
 * (`IMG_2001.jpg and 1 more`), or the word for a text. Null without any of
 * them, and for an encrypted share.
 */
export function shareTitle({ name, firstFile, fileCount, kind, encrypted }: TitledShare, { text, andMore }: TitleTexts): string | null {
  if (name !== null && name !== '') return showInvisible(name)
  if (firstFile === null || encrypted) return null
  if (kind === 'text' && fileCount === 1) return text
  const file = showInvisible(firstFile.slice(firstFile.lastIndexOf('/') + 1))
  return fileCount > 1 ? andMore(file, fileCount - 1) : file
}

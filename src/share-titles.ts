import { showInvisible } from './invisible-characters.ts'

/** What decides how a share is called. */
export interface TitledShare {
  name: string | null
  /** The name of its first file, with folders; null without files. */
  firstFile: string | null
  fileCount: number
  /** Whether it is a text, whose only file has no name of its own. */
  kind: 'files' | 'text'
}

/** The texts of titles in the reader's language. */
export interface TitleTexts {
  text: string
  andMore(name: string, count: number): string
}

/**
 * Returns how a share is called in lists, headings and emails: by its name, or by its first file
 * (`IMG_2001.jpg and 1 more`), or as a text. Null without any of them.
 */
export function shareTitle({ name, firstFile, fileCount, kind }: TitledShare, { text, andMore }: TitleTexts): string | null {
  if (name !== null && name !== '') return showInvisible(name)
  if (firstFile === null) return null
  if (kind === 'text' && fileCount === 1) return text
  const file = showInvisible(firstFile.slice(firstFile.lastIndexOf('/') + 1))
  return fileCount > 1 ? andMore(file, fileCount - 1) : file
}

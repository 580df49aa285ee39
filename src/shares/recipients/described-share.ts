import { formatByteSize } from '../../byte-sizes.ts'
import { countedShareText, intlTag, shareText } from '../../mail/default-texts.ts'
import { shareTitle, type TitledShare } from '../../share-titles.ts'

const titleMax = 80 // characters, so that the rest of a subject stays readable

/** Returns the title of a share for an email, how many files it has and how large it is, as texts. */
export function describedShare(language: string, share: TitledShare, size: number): { title: string; files: string; size: string } {
  const andMore = (name: string, count: number) => countedShareText(language, 'andMore', count, { name: shortened(name) })
  const title = shareTitle(share, { text: shareText(language, 'text'), andMore }) ?? shareText(language, 'title')
  return {
    title: shortened(title),
    files: countedShareText(language, 'files', share.fileCount),
    size: formatByteSize(size, intlTag(language)),
  }
}

function shortened(text: string): string {
  const characters = Array.from(text.replace(/\s+/gu, ' '))
  return characters.length > titleMax ? `${characters.slice(0, titleMax - 1).join('')}…` : characters.join('')
}

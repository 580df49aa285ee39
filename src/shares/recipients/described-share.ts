import { countedShareText, intlTag, shareText } from '../../mail/default-texts.ts'
import { shareTitle, type TitledShare } from '../../share-titles.ts'

const titleMax = 80 // characters, so that the rest of a subject stays readable
const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Returns the title of a share for an email, how many files it has and how large it is, as texts. */
export function describedShare(language: string, share: TitledShare, size: number): { title: string; files: string; size: string } {
  const andMore = (name: string, count: number) => countedShareText(language, 'andMore', count, { name: shortened(name) })
  const title = shareTitle(share, { text: shareText(language, 'text'), andMore }) ?? shareText(language, 'title')
  return { title: shortened(title), files: countedShareText(language, 'files', share.fileCount), size: sizeText(language, size) }
}

function shortened(text: string): string {
  const characters = Array.from(text.replace(/\s+/gu, ' '))
  return characters.length > titleMax ? `${characters.slice(0, titleMax - 1).join('')}…` : characters.join('')
}

/** Formats a number of bytes in decimal units, as the pages do. */
function sizeText(language: string, bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes) * 1.00005) / 3)))
  const value = bytes / 1000 ** power
  const unit = units[power] ?? 'byte'
  const maximumFractionDigits = power > 0 && value < 100 ? 1 : 0
  return new Intl.NumberFormat(intlTag(language), { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits }).format(value)
}

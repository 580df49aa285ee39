import { extensionOf } from '../../../lib/file-kinds.ts'

/** How a text is formatted; null: not at all. */
type TextForm = 'markdown' | 'table' | 'code' | null

/** Larger texts would keep a phone busy for seconds. */
const formattedMaxBytes = 300_000

const forms: Record<string, Exclude<TextForm, null>> = { md: 'markdown', markdown: 'markdown', csv: 'table', tsv: 'table' }
const plain = new Set('cfg conf env log lock srt txt vtt'.split(' '))

/** Returns how to show a text of `size` bytes by its name. */
export function formOf(name: string, size: number): TextForm {
  const extension = extensionOf(name)
  const form = forms[extension] ?? (plain.has(extension) ? null : 'code')
  return form !== 'table' && size > formattedMaxBytes ? null : form // of a table only the first rows are shown
}

import type { Activity } from './contract.ts'

const columns = ['at', 'kind', 'link', 'visitor', 'file', 'zip', 'bytes', 'size', 'complete', 'reason', 'device', 'address'] as const

/**
 * The beginning of what a spreadsheet would run as a formula, in a text or in a cell that it would cut
 * off at another separator.
 */
const formulas = /(^|[;,\t|\r\n])([^\S\t\r\n]*"*[^\S\t\r\n]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** Returns the activity as a table (RFC 4180) in UTF-8. Formulas get an apostrophe in front. */
export function csvOf(entries: readonly Activity[]): string {
  const rows = entries.map((entry) => columns.map((column) => cell(entry[column])))
  return `\ufeff${[columns, ...rows].map((row) => row.join(',')).join('\r\n')}\r\n`
}

function cell(value: string | number | boolean | undefined): string {
  if (typeof value !== 'string') return String(value ?? '')
  return `"${value.replace(formulas, "$1'$2").replaceAll('"', '""')}"`
}

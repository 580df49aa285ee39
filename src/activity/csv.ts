import type { Activity } from './contract.ts'

const columns = ['at', 'kind', 'link', 'visitor', 'file', 'zip', 'bytes', 'size', 'complete', 'reason', 'device', 'address'] as const

/**
 * Returns the activity as a table (RFC 4180) in UTF-8. Text that a spreadsheet would run as a formula
 * gets an apostrophe in front.
 */
export function csvOf(entries: readonly Activity[]): string {
  const rows = entries.map((entry) => columns.map((column) => cell(entry[column])))
  return `\ufeff${[columns, ...rows].map((row) => row.join(',')).join('\r\n')}\r\n`
}

function cell(value: string | number | boolean | undefined): string {
  const text = String(value ?? '')
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

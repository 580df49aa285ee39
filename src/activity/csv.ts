import type { FastifyReply } from 'fastify'

type Cell = string | number | boolean | undefined

/**
 * The beginning of what a spreadsheet would run as a formula, in a text or in a cell that it would cut
 * off at another separator.
 */
const formulas = /(^|[;,\t|\r\n])([^\S\t\r\n]*"*[^\S\t\r\n]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/**
 * Sends activity as a table (RFC 4180) in UTF-8, with the name of what it belongs to in the name of
 * the file. Formulas get an apostrophe in front.
 */
export function sendCsv<K extends string>(
  reply: FastifyReply,
  name: string,
  columns: readonly K[],
  entries: readonly { [C in K]?: Cell }[],
): FastifyReply {
  const rows = entries.map((entry) => columns.map((column) => cell(entry[column])))
  return reply
    .type('text/csv; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-disposition', `attachment; filename="activity-${name}.csv"`)
    .send(`\ufeff${[columns, ...rows].map((row) => row.join(',')).join('\r\n')}\r\n`)
}

function cell(value: Cell): string {
  if (typeof value !== 'string') return String(value ?? '')
  return `"${value.replace(formulas, "$1'$2").replaceAll('"', '""')}"`
}

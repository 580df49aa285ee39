const delimiters = [',', ';', '\t', '|']

/**
 * Reads comma-separated values (RFC 4180), also with semicolons, tabs or bars: the most frequent
 * one in the first line. Accepts any text, and returns at most `rowsMax` rows.
 */
export function parseCsv(text: string, rowsMax: number): string[][] {
  const delimiter = delimiterOf(text)
  const rows: string[][] = []
  let row: string[] = []
  let [at, isEnd] = [0, false]
  while (!isEnd && rows.length < rowsMax) {
    const field = fieldAt(text, at, delimiter)
    row.push(field.value)
    isEnd = field.end >= text.length
    const next = text[field.end]
    at = field.end + (next === '\r' && text[field.end + 1] === '\n' ? 2 : 1)
    if (next === delimiter && !isEnd) continue
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  return rows
}

/** Reads the field that begins at `start`. Its end is a delimiter, a line break or the text's end. */
function fieldAt(text: string, start: number, delimiter: string): { value: string; end: number } {
  const isEnd = (at: number) => at >= text.length || text[at] === delimiter || text[at] === '\n' || text[at] === '\r'
  const untilEnd = (from: number) => {
    let end = from
    while (!isEnd(end)) end++
    return end
  }
  if (text[start] !== '"') {
    const end = untilEnd(start)
    return { value: text.slice(start, end), end }
  }
  let [quote, value] = [start, '']
  do {
    const next = text.indexOf('"', quote + 1)
    const close = next < 0 ? text.length : next
    value += text.slice(quote + 1, close)
    quote = close
    if (text[close + 1] !== '"') break
    value += '"'
    quote++
  } while (quote < text.length)
  const end = untilEnd(quote + 1)
  return { value: value + text.slice(quote + 1, end), end }
}

function delimiterOf(text: string): string {
  const [line = ''] = text.split(/[\r\n]/, 1)
  const count = (delimiter: string) => line.split(delimiter).length
  return delimiters.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best))
}

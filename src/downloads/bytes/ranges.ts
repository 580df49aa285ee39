import type { ByteRange } from '../../storage/byte-range.ts'

/** Each run of spaces can match in only one way, so matching takes linear time. */
const rangeShape = /^bytes=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i

/**
 * Returns the range of `size` bytes that a Range header requests (RFC 9110, 14.2), or
 * `unsatisfiable` if it lies beyond the end. Null means everything: without a header, for other
 * units, malformed headers, several ranges (which a server may ignore), and empty representations.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, from = '', to = ''] = rangeShape.exec(header ?? '') ?? []
  if (size === 0 || from + to === '') return null
  if (from === '') return Number(to) === 0 ? 'unsatisfiable' : { start: Math.max(size - Number(to), 0), end: size - 1 }
  const start = Number(from)
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < start) return null
  return start < size ? { start, end } : 'unsatisfiable'
}

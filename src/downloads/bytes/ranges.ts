import type { ByteRange } from '../../storage/object-store.ts'

/** Each run of spaces can match in one way only, so that matching takes linear time. */
const rangeShape = /^bytes=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i

/**
 * The range that a Range header (RFC 9110, 14.2) asks for of `size` bytes; `unsatisfiable` when it lies behind the end. Null is the whole: for no header,
 * another unit, a malformed one, several ranges (a server may answer those with the whole), and an empty representation, of which there is no part.
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

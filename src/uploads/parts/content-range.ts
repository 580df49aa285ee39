import type { FastifyRequest } from 'fastify'
import { refusedField } from '../../http/error-handler.ts'

/** The bytes expected of a request, and the length of the whole file if known. */
interface ExpectedRange {
  start: number
  length: number
  size?: number
}

/**
 * Checks that a request's Content-Range, if it has one, matches the expected bytes.
 *
 * @throws {AppError} validation_failed: with the path `content-range`
 */
export function checkContentRange({ headers }: FastifyRequest, { start, length, size }: ExpectedRange): void {
  const header = headers['content-range']
  if (header === undefined) return
  const [, first, last, total] = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16}|\*)$/i.exec(header.trim()) ?? []
  const hasRightTotal = total === '*' || size === undefined || Number(total) === size
  if (Number(first) === start && Number(last) === start + length - 1 && hasRightTotal) return
  throw refusedField('content-range', `must be bytes ${start}-${start + length - 1}/${size ?? '*'}`, 'const')
}

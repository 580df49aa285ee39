import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'

/** The bytes that a request is expected to bring, and the length of the whole file where that is known. */
interface Expected {
  start: number
  length: number
  size?: number
}

/**
 * Refuses a request whose Content-Range contradicts the bytes that it is expected to bring. A client without the header is fine.
 *
 * @throws `validation_failed` with the path `content-range`.
 */
export function checkContentRange({ headers }: FastifyRequest, { start, length, size }: Expected): void {
  const header = headers['content-range']
  if (header === undefined) return
  const [, first, last, total] = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16}|\*)$/i.exec(header.trim()) ?? []
  const isTotal = total === '*' || size === undefined || Number(total) === size
  if (Number(first) === start && Number(last) === start + length - 1 && isTotal) return
  const message = `must be bytes ${start}-${start + length - 1}/${size ?? '*'}`
  throw new AppError('validation_failed', { issues: [{ path: 'content-range', message, rule: 'const', params: {} }] })
}

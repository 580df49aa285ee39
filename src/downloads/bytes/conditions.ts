import type { IncomingHttpHeaders } from 'node:http'

/** What a representation is compared by; `etag` is strong and quoted. */
interface Validators {
  etag: string
  modified: Date
}

/** What the conditions of a GET or HEAD come to (RFC 9110, 13.2.2): 412, 304, or null when it is to be answered. */
export function evaluateConditions(headers: IncomingHttpHeaders, validators: Validators): 304 | 412 | null {
  const { etag, modified } = validators
  const ifMatch = headers['if-match']
  const unmodifiedSince = secondsOf(headers['if-unmodified-since'])
  if (ifMatch !== undefined ? !listed(ifMatch, etag, false) : unmodifiedSince !== null && seconds(modified) > unmodifiedSince) return 412
  const ifNoneMatch = headers['if-none-match']
  const modifiedSince = secondsOf(headers['if-modified-since'])
  if (ifNoneMatch !== undefined ? listed(ifNoneMatch, etag, true) : modifiedSince !== null && seconds(modified) <= modifiedSince) return 304
  return null
}

/** Whether a Range may be served: there is no If-Range, or it names just this representation (13.1.5; a weak tag never does). */
export function rangeApplies(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const ifRange = headers['if-range']
  if (typeof ifRange !== 'string') return true
  return ifRange.startsWith('"') ? ifRange === etag : !ifRange.startsWith('W/') && secondsOf(ifRange) === seconds(modified)
}

/** Whether a list of entity tags names `etag`; `weakly`: a weak tag of the same text does too (8.8.3.2). */
function listed(header: string, etag: string, weakly: boolean): boolean {
  if (header.trim() === '*') return true
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => tag === etag || (weakly && tag === `W/${etag}`))
}

function secondsOf(date: string | undefined): number | null {
  const time = Date.parse(date ?? '')
  return Number.isNaN(time) ? null : Math.floor(time / 1000)
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

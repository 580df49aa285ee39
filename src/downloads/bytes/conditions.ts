import type { IncomingHttpHeaders } from 'node:http'

/** The validators of a representation; `etag` is strong and quoted. */
interface Validators {
  etag: string
  modified: Date
}

/**
 * Evaluates the conditions of a GET or HEAD (RFC 9110, 13.2.2). Returns 412, 304, or null for a
 * normal response.
 */
export function evaluateConditions(headers: IncomingHttpHeaders, validators: Validators): 304 | 412 | null {
  const { etag, modified } = validators
  const ifMatch = headers['if-match']
  const unmodifiedSince = secondsOf(headers['if-unmodified-since'])
  if (ifMatch !== undefined ? !lists(ifMatch, etag, false) : unmodifiedSince !== null && seconds(modified) > unmodifiedSince) return 412
  const ifNoneMatch = headers['if-none-match']
  const modifiedSince = secondsOf(headers['if-modified-since'])
  if (ifNoneMatch !== undefined ? lists(ifNoneMatch, etag, true) : modifiedSince !== null && seconds(modified) <= modifiedSince) return 304
  return null
}

/**
 * Returns whether a Range applies: there is no If-Range, or it matches exactly (13.1.5; a weak tag
 * never does).
 */
export function rangeApplies(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const ifRange = headers['if-range']
  if (typeof ifRange !== 'string') return true
  return ifRange.startsWith('"') ? ifRange === etag : !ifRange.startsWith('W/') && secondsOf(ifRange) === seconds(modified)
}

/**
 * Returns whether a list of entity tags contains `etag`; with `weakly`, also as a weak tag
 * (8.8.3.2).
 */
function lists(header: string, etag: string, weakly: boolean): boolean {
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

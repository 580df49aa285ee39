import { contentTypeOf } from './content-types.ts'
import { contentDisposition } from './disposition.ts'

/** The policy for uploaded documents: they may do nothing, and do not belong to our origin. */
const locked = "sandbox; default-src 'none'"
/**
 * The policy for types that browsers show in a built-in viewer. A sandbox would block the viewer:
 * its document requests the bytes again, and without an origin this request has no cookie and no
 * readable response. No script runs in either case.
 */
const viewed = (directive: string) => `default-src 'none'; ${directive} 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'`

/** The headers that describe bytes. */
export interface DescriptiveHeaders extends Record<string, string> {
  'content-type': string
  'content-disposition': string
  'content-security-policy': string
  'cache-control': string
}

/**
 * Returns the headers of a file. With `inline` it is shown in the browser, if its type can't run a
 * script.
 */
export function fileHeaders(name: string, { inline, isProtected }: { inline: boolean; isProtected: boolean }): DescriptiveHeaders {
  const { type, showable } = contentTypeOf(name)
  const shown = inline && showable
  return {
    'content-type': type,
    'content-disposition': contentDisposition(shown ? 'inline' : 'attachment', name),
    'content-security-policy': shown ? policyFor(type) : locked,
    ...commonHeaders(isProtected),
  }
}

function policyFor(type: string): string {
  if (type === 'application/pdf') return viewed('object-src')
  return /^(audio|video)\//.test(type) ? viewed('media-src') : locked
}

/** Returns the headers of an archive. */
export function zipHeaders(name: string, { isProtected }: { isProtected: boolean }): DescriptiveHeaders {
  return {
    'content-type': 'application/zip',
    'content-disposition': contentDisposition('attachment', name),
    'content-security-policy': locked,
    ...commonHeaders(isProtected),
  }
}

/** Returns the headers of a WebP picture of a file. */
export function pictureHeaders(name: string, { isProtected }: { isProtected: boolean }): DescriptiveHeaders {
  return {
    'content-type': 'image/webp',
    'content-disposition': contentDisposition('inline', `${name}.webp`),
    'content-security-policy': locked,
    ...commonHeaders(isProtected),
  }
}

/** Returns the headers of an encrypted document. */
export function documentHeaders({ isProtected }: { isProtected: boolean }) {
  return { 'content-type': 'application/octet-stream', ...commonHeaders(isProtected) }
}

/**
 * Forbids shared caches and, for protected shares, all caches. No proxy may compress the bytes,
 * because this would change their length and their validator.
 */
function commonHeaders(isProtected: boolean) {
  return { 'x-content-type-options': 'nosniff', 'cache-control': `private, ${isProtected ? 'no-store' : 'no-cache'}, no-transform` }
}

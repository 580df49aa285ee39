import { contentTypeOf } from './content-types.ts'
import { contentDisposition } from './disposition.ts'

/** What a strange document may do in a browser: nothing at all, not even belong to our origin. */
const locked = "sandbox; default-src 'none'"
/**
 * What browsers show by a viewer of their own, which a sandbox keeps from its bytes or from starting: the document in which it plays asks for them once more,
 * and from no origin it gets neither cookie nor answer. No script runs in it either way.
 */
const viewed = (directive: string) => `default-src 'none'; ${directive} 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'`

/** The headers that describe a file's bytes. `inline`: to be shown, where its type cannot run a script. */
export function fileHeaders(name: string, { inline, isProtected }: { inline: boolean; isProtected: boolean }): Record<string, string> {
  const { type, showable } = contentTypeOf(name)
  const shown = inline && showable
  return {
    'content-type': type,
    'content-disposition': contentDisposition(shown ? 'inline' : 'attachment', name),
    'content-security-policy': shown ? policyFor(type) : locked,
    ...always(isProtected),
  }
}

function policyFor(type: string): string {
  if (type === 'application/pdf') return viewed('object-src')
  return /^(audio|video)\//.test(type) ? viewed('media-src') : locked
}

/** The headers that describe an archive. */
export function zipHeaders(name: string, { isProtected }: { isProtected: boolean }): Record<string, string> {
  const disposition = contentDisposition('attachment', name.replaceAll('/', '_'))
  return {
    'content-type': 'application/zip',
    'content-disposition': disposition,
    'content-security-policy': locked,
    ...always(isProtected),
  }
}

/** Never in a cache that others share; of a protected share in none at all. */
function always(isProtected: boolean): Record<string, string> {
  return { 'x-content-type-options': 'nosniff', 'cache-control': isProtected ? 'private, no-store' : 'private, no-cache' }
}

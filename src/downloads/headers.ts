import { contentTypeOf } from './content-types.ts'
import { contentDisposition } from './disposition.ts'

/** What a strange document may do in a browser: nothing at all, not even belong to our origin. */
const locked = "sandbox; default-src 'none'"

/** The headers that describe a file's bytes. `inline`: to be shown, where its type cannot run a script. */
export function fileHeaders(name: string, { inline, isProtected }: { inline: boolean; isProtected: boolean }): Record<string, string> {
  const { type, showable } = contentTypeOf(name)
  const disposition = contentDisposition(inline && showable ? 'inline' : 'attachment', name)
  return { 'content-type': type, 'content-disposition': disposition, 'content-security-policy': locked, ...always(isProtected) }
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

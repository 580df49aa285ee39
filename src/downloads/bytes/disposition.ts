import { removeInvisible } from '../../invisible-characters.ts'

/**
 * Returns a Content-Disposition (RFC 6266) for a file's name without its folders. It has a quoted
 * ASCII form for old clients and, if the name differs from it, the exact name as `filename*` (RFC
 * 8187), which all browsers prefer. Direction marks and zero-width characters are removed.
 */
export function contentDisposition(type: 'inline' | 'attachment', name: string): string {
  const last = removeInvisible(name.toWellFormed().split('/').at(-1) ?? '') || '_'
  const ascii = last.replace(/[^\x20-\x7e]/gu, '_')
  const quoted = ascii.replace(/["\\]/g, '\\$&')
  const isPlain = ascii === last && !/[%"\\]/.test(last)
  return `${type}; filename="${quoted}"${isPlain ? '' : `; filename*=UTF-8''${encode(last)}`}`
}

/** Encodes all but `attr-char` of RFC 8187. encodeURIComponent leaves four more characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

import { removeInvisible } from '../../invisible-characters.ts'

/**
 * A Content-Disposition (RFC 6266) for a file's name without its folders: a quoted ASCII form for clients that know no better, and where that differs the whole
 * name as `filename*` (RFC 8187), which all browsers prefer. Direction marks and zero-width characters are left out.
 */
export function contentDisposition(type: 'inline' | 'attachment', name: string): string {
  const last = removeInvisible(name.toWellFormed().split('/').at(-1) ?? '') || '_'
  const ascii = last.replace(/[^\x20-\x7e]/gu, '_')
  const quoted = ascii.replace(/["\\]/g, '\\$&')
  const plain = ascii === last && !/[%"\\]/.test(last)
  return `${type}; filename="${quoted}"${plain ? '' : `; filename*=UTF-8''${encode(last)}`}`
}

/** `attr-char` of RFC 8187 stays; encodeURIComponent leaves four more. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Returns how many bytes a text has in UTF-8. A lone surrogate counts as U+FFFD, which replaces it. */
export function utf8Length(text: string): number {
  let length = text.length
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x80) continue
    length += code < 0x800 ? 1 : 2
    const isPair = code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
    if (isPair) index++
  }
  return length
}

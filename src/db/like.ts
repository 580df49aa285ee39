/** Returns a text as a part of a pattern of `LIKE`, in which its characters mean only themselves. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

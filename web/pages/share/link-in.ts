const maxLength = 2_048 // characters

/**
 * Returns the link that a text is; null for any other text. Only http and https links count, and
 * none with a user name, which could look like another site.
 */
export function linkIn(text: string): URL | null {
  const trimmed = text.trim()
  if (trimmed.length > maxLength || /\s/.test(trimmed) || !/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) return null
  const url = new URL(trimmed)
  return url.username === '' && url.password === '' ? url : null
}

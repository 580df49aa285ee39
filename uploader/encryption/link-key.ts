import { type Bytes, fromBase64Url, randomBytes, toBase64Url } from './bytes.ts'
import { EncryptionError } from './error.ts'
import { linkKeyBytes } from './keys.ts'

/** Returns a new key for a share: 32 random bytes. */
export const newLinkKey = (): Bytes => randomBytes(linkKeyBytes)

/** Returns a share's link with its key in the fragment, which browsers never send. */
export function linkWithKey(link: string, linkKey: Bytes): string {
  return `${link.replace(/#.*$/s, '')}#k=${toBase64Url(linkKey)}`
}

/**
 * Returns the key in a whole link, in a fragment with or without `#`, or in a key typed alone; null
 * when there is none.
 * @throws EncryptionError `link_key_invalid`
 */
export function linkKeyIn(text: string): Bytes | null {
  const trimmed = text.trim()
  const fragment = /#(.*)$/s.exec(trimmed)?.[1] ?? trimmed
  const key = /(?:^|&)k=([^&]*)/.exec(fragment)?.[1] ?? (/^[\w-]{43}$/.test(trimmed) ? trimmed : null)
  if (key === null) return null
  const linkKey = fromBase64Url(key, linkKeyBytes)
  if (!linkKey) throw new EncryptionError('link_key_invalid', 'The key in the link is incomplete. Copy the whole link again.')
  return linkKey
}

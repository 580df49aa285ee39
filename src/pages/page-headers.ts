/**
 * Returns the headers of a page. Share links are secrets, so pages are not cached, indexed or sent
 * as referrer. There is no `upgrade-insecure-requests`, because a server in a LAN may use plain
 * http.
 */
export function pageHeaders(nonce: string, connectTo = ''): Record<string, string> {
  const policy = {
    'default-src': "'none'",
    'script-src': `'nonce-${nonce}' 'strict-dynamic'`,
    'style-src': `'self' 'nonce-${nonce}'`,
    'img-src': "'self' data: blob:",
    'media-src': "'self'",
    'frame-src': "'self'",
    'connect-src': `'self' ${connectTo}`.trimEnd(),
    'manifest-src': "'self'",
    'worker-src': "'self'",
    'object-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
  }
  return {
    'content-security-policy': Object.entries(policy)
      .map(([directive, value]) => `${directive} ${value}`)
      .join('; '),
    'cache-control': 'no-store',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': 'no-referrer',
    vary: 'accept-language, cookie',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex, nofollow',
  }
}

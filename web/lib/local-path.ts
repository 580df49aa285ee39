/**
 * Returns `address` as a path of this site with its query and fragment, or null if it is not one.
 * Dots can make a path that starts with `//`, which is another host,
 * so the result must be the same address when it is parsed again.
 */
export function localPath(address: string | null, origin: string): string | null {
  if (!address?.startsWith('/') || !URL.canParse(address, origin)) return null
  const target = new URL(address, origin)
  const path = target.pathname + target.search + target.hash
  const isLocal = target.origin === origin && !path.startsWith('//') && !path.includes('\\')
  return isLocal && new URL(path, origin).href === target.href ? path : null
}

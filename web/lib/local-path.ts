/**
 * Returns the path of this site that `wanted` names, with its query and fragment, or null for any other address. Dots can make a path that starts with `//`,
 * which is another host, so the result must be the same address when it is parsed again.
 */
export function localPath(wanted: string | null, origin: string): string | null {
  if (!wanted?.startsWith('/') || !URL.canParse(wanted, origin)) return null
  const target = new URL(wanted, origin)
  const path = target.pathname + target.search + target.hash
  const isLocal = target.origin === origin && !path.startsWith('//') && !path.includes('\\')
  return isLocal && new URL(path, origin).href === target.href ? path : null
}

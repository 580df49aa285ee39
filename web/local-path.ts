/** The path of this site that `wanted` is, with its query and fragment; null for anything else: `//host`, `/\host` and `javascript:` are not. */
export function localPath(wanted: string | null, origin: string): string | null {
  if (!wanted?.startsWith('/') || !URL.canParse(wanted, origin)) return null
  const target = new URL(wanted, origin)
  return target.origin === origin ? target.pathname + target.search + target.hash : null
}

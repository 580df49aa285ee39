import { start } from '../start.ts'

/**
 * Returns the address of a path of this site, such as `/files/upload` for `/upload`. The router's
 * links and redirects take paths; everything else takes addresses.
 */
export function address(path: string): string {
  return start.basePath + path
}

/** Returns the path of an address of this host; null if it is not below this site. */
export function pathOf(pathname: string): string | null {
  const { basePath } = start
  if (basePath === '' || pathname.startsWith(`${basePath}/`)) return pathname.slice(basePath.length)
  return pathname === basePath ? '/' : null
}

/** Returns the path of the shown page. */
export function currentPath(): string {
  return pathOf(location.pathname) ?? '/'
}

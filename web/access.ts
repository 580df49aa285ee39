import type { pages } from './routes.ts'
import { settings, start } from './start.ts'

type Access = (typeof pages)[keyof typeof pages]['access'] | 'uploaders'

export const afterSignIn = '/upload'

/** Whether this visitor may create shares. */
export function mayUpload(): boolean {
  return start.user !== null || settings['share.allowUnauthenticatedShares']
}

/** Where a visitor without access to a page is sent; null for who may see it. */
export function detour(access: Access): string | null {
  if (access === 'visitors') return start.user ? returnPath() : null
  const allowed = access === 'everybody' || (access === 'users' ? start.user !== null : mayUpload())
  return allowed ? null : signInPath()
}

/** The sign-in page, which leads back here. */
export function signInPath(): string {
  return `/auth/signIn?${new URLSearchParams({ redirect: location.pathname + location.search })}`
}

/** Where to go after signing in: the address bar's `redirect`, when it is a path of this site. */
export function returnPath(search = location.search): string {
  const wanted = new URLSearchParams(search).get('redirect') ?? ''
  if (!wanted.startsWith('/')) return afterSignIn
  const target = new URL(wanted, location.origin) // `//host` and `/\host` are other sites
  return target.origin === location.origin ? target.pathname + target.search + target.hash : afterSignIn
}

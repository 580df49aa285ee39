import type { pages } from '../routes.ts'
import { settings, start } from '../start.ts'
import { address, currentPath } from './address.ts'
import { localPath } from './local-path.ts'

type Access = (typeof pages)[keyof typeof pages]['access']

/**
 * Returns the first page after signing in. An administrator starts with the introduction until it
 * is finished.
 * A page without a user returns `/`, which redirects once the server knows the user.
 */
export function landing(): string {
  if (!start.user) return '/'
  return start.user.isAdmin && !settings['general.setupFinished'] ? '/admin/intro' : '/upload'
}

/** Returns whether this visitor may create shares. */
export function mayUpload(): boolean {
  return start.user !== null || settings['share.allowUnauthenticatedShares']
}

/**
 * Returns the path that a visitor without access to a page is redirected to, or null for a visitor
 * with access.
 */
export function accessRedirect(access: Access): string | null {
  if (access === 'visitors') return start.user ? returnPath() : null
  if (access === 'admins' && start.user?.isAdmin) return isSecondFactorMissing() ? '/account' : null
  if (access === 'admins' && start.user) return '/error?error=forbidden'
  const allowed = access === 'everybody' || (access === 'uploaders' ? mayUpload() : start.user !== null)
  return allowed ? null : signInPath()
}

/**
 * Returns whether this administrator must add a second factor before they can administer the site.
 */
export function isSecondFactorMissing(): boolean {
  return start.secondFactorRequired && !start.user?.totpVerified
}

/** Returns the path of the sign-in page, which leads back to the current page. */
export function signInPath(): string {
  return `/auth/signIn?${new URLSearchParams({ redirect: currentPath() + location.search })}`
}

/**
 * Returns the path to open after signing in: the query's `redirect` if it is a path of this site,
 * else the first page.
 */
export function returnPath(): string {
  const redirect = localPath(new URLSearchParams(location.search).get('redirect'), location.origin)
  return redirect && redirect !== '/upload' ? redirect : landing()
}

/**
 * Opens the page that the visitor came for, after a sign-in. Over http it first checks that the
 * browser has stored the session: it keeps a secure cookie that https set under the same name.
 */
export async function openAsUser(): Promise<void> {
  const response = location.protocol === 'http:' ? await fetch(address('/api/users/me')).catch(() => null) : null
  if (response?.status !== 401) location.assign(address(returnPath()))
  else location.assign(address(`/error?${new URLSearchParams({ error: 'cookies_refused', redirect: returnPath() })}`))
}

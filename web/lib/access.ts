import type { pages } from '../routes.ts'
import { settings, start } from '../start.ts'
import { localPath } from './local-path.ts'

type Access = (typeof pages)[keyof typeof pages]['access']

/** Where somebody starts: an administrator with the introduction, as long as it is not finished. Who signs in right now is known at the next page. */
export function landing(): string {
  if (!start.user) return '/'
  return start.user.isAdmin && !settings['general.setupFinished'] ? '/admin/intro' : '/upload'
}

/** Whether this visitor may create shares. */
export function mayUpload(): boolean {
  return start.user !== null || settings['share.allowUnauthenticatedShares']
}

/** Where a visitor without access to a page is sent; null for who may see it. */
export function detour(access: Access): string | null {
  if (access === 'visitors') return start.user ? returnPath() : null
  if (access === 'admins' && start.user) return start.user.isAdmin ? null : '/error?error=forbidden'
  const allowed = access === 'everybody' || (access === 'uploaders' ? mayUpload() : start.user !== null)
  return allowed ? null : signInPath()
}

/** The sign-in page, which leads back here. */
export function signInPath(): string {
  return `/auth/signIn?${new URLSearchParams({ redirect: location.pathname + location.search })}`
}

/** Where to go after signing in: the address bar's `redirect`, when it is a path of this site. */
export function returnPath(): string {
  const wanted = localPath(new URLSearchParams(location.search).get('redirect'), location.origin)
  return wanted && wanted !== '/upload' ? wanted : landing()
}

import type { FastifyBaseLogger } from 'fastify'
import { AppError, type ErrorCode, errors } from '../errors.ts'
import { toSocialError } from './client.ts'
import type { SocialError } from './errors.ts'
import { type Provider, providerNames } from './limits.ts'

interface Where {
  provider: Provider
  /** Whether it was to be linked to an account, and not to sign in. */
  isLink: boolean
  redirect: string | null
}

/** The error page's address for what went wrong: with a key, the provider, and the way back. What the person cannot help is logged. */
export function failurePath(
  { log }: { log: Pick<FastifyBaseLogger, 'info' | 'warn'> },
  error: unknown,
  { provider, isLink, redirect }: Where,
): string {
  const known = error instanceof AppError ? error : toSocialError(error)
  const key = known instanceof AppError ? known.code : known.key
  const level = ['default', 'invalid_token', 'cannot_get_user_info', 'provider_unavailable', 'provider_misconfigured'].includes(key)
    ? 'warn'
    : 'info'
  log[level]({ provider, key, reason: reasonOf(known) }, 'social login failed')
  const back = isLink ? '/account' : signInPath(redirect)
  return `/error?${new URLSearchParams({ error: key, redirect: back, params: provider })}`
}

/** The page that signs in; it leads on to `redirect` when that is a path of this site, at once where somebody is signed in. */
export function signInPath(redirect: string | null): string {
  return redirect === null ? '/auth/signIn' : `/auth/signIn?${new URLSearchParams({ redirect })}`
}

/** The same failure for a program. */
export function toAppError(error: unknown, provider: Provider): unknown {
  if (error instanceof AppError) return error
  const { key, cause } = toSocialError(error)
  if (!Object.hasOwn(errors, key)) return error
  return new AppError(key as ErrorCode, { provider: providerNames[provider] }, { cause })
}

/** The words of the error that lies deepest. */
function reasonOf(error: SocialError | AppError): string {
  let deepest: Error = error
  while (deepest.cause instanceof Error) deepest = deepest.cause
  return deepest.message.slice(0, 500)
}

import type { FastifyBaseLogger } from 'fastify'
import { AppError, type ErrorCode, errorStatus } from '../errors.ts'
import { toSocialError } from './client.ts'
import { type Provider, providerNames } from './limits.ts'

interface FailureContext {
  provider: Provider
  /** Whether linking failed, rather than a sign-in. */
  isLink: boolean
  redirect: string | null
}

/**
 * Logs a failure and returns the path of the error page, with the error's key, the provider and the
 * page to return to.
 */
export function failurePath(
  { log }: { log: Pick<FastifyBaseLogger, 'info' | 'warn'> },
  error: unknown,
  { provider, isLink, redirect }: FailureContext,
): string {
  const shownError = error instanceof AppError ? error : toSocialError(error)
  const key = shownError instanceof AppError ? shownError.code : shownError.key
  const level = ['default', 'invalid_token', 'cannot_get_user_info', 'provider_unavailable', 'provider_misconfigured'].includes(key)
    ? 'warn'
    : 'info'
  log[level]({ provider, key, reason: rootMessageOf(shownError) }, 'social login failed')
  const back = isLink ? '/account' : signInPath(redirect)
  return `/error?${new URLSearchParams({ error: key, redirect: back, params: provider })}`
}

/**
 * Returns the path of the sign-in page. After sign-in, or at once for a signed-in user, it opens
 * `redirect` if that is a path of this site.
 */
export function signInPath(redirect: string | null): string {
  return redirect === null ? '/auth/signIn' : `/auth/signIn?${new URLSearchParams({ redirect })}`
}

/** Converts a failure into the error for API clients. */
export function toAppError(error: unknown, provider: Provider): unknown {
  if (error instanceof AppError) return error
  const { key, cause } = toSocialError(error)
  if (!Object.hasOwn(errorStatus, key)) return error
  return new AppError(key as ErrorCode, { provider: providerNames[provider] }, { cause })
}

/** Returns the message of the root cause, up to 500 characters. */
export function rootMessageOf(error: unknown): string {
  let deepest = error
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause
  return (deepest instanceof Error ? deepest.message : String(deepest)).slice(0, 500)
}

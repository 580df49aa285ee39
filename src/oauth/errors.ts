/**
 * Why a sign-in or a link failed: the `error` parameter of the error page, which shows the text
 * `social.error.{key}`.
 */
type SocialErrorKey =
  | 'access_denied'
  | 'expired_token'
  | 'invalid_token'
  | 'no_user'
  | 'no_email'
  | 'already_linked'
  | 'not_linked'
  | 'unverified_account'
  | 'discord_guild_permission_denied'
  | 'cannot_get_user_info'
  | 'provider_taken'
  | 'provider_unavailable'
  | 'provider_misconfigured'
  | 'provider_disabled'
  | 'setup_code_required'
  | 'default'

/** A failure that the user is shown. */
export class SocialError extends Error {
  readonly key: SocialErrorKey

  constructor(key: SocialErrorKey, options?: ErrorOptions & { message?: string }) {
    super(options?.message ?? key, options)
    this.key = key
  }
}

/**
 * A failure of a provider. `code` is the error code of its response (RFC 6749, 5.2), or null
 * without one.
 */
export class ProviderError extends Error {
  readonly code: string | null

  constructor(message: string, code: string | null = null, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

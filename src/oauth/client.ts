import { readSecret, readSettings } from '../config/service.ts'
import type { Settings } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { authMethodsOf, type ClientAuth } from './client-auth.ts'
import { type DiscoveredProvider, discover } from './discovery.ts'
import { ProviderError, SocialError } from './errors.ts'
import { type Provider, providers } from './limits.ts'

/** This installation as a client of a provider, with the current settings. */
export interface Client {
  provider: Provider
  id: string
  /** Empty for a public client. */
  secret: string
  /** The callback URL. */
  redirectUri: string
  scope: string[]
  authorize: string
  token: string
  /** The ways to authenticate at the token endpoint, in the order to try them. */
  auth: ClientAuth[]
  /** Null for providers with their own API instead of OpenID Connect. */
  openId: DiscoveredProvider | null
  settings: Settings
}

export type ClientContext = Pick<Context, 'db' | 'env' | 'sealer' | 'log' | 'identityProviders'>

/** Returns the providers that are enabled and configured, in display order. */
export function availableProviders(settings: Settings): Provider[] {
  return providers.filter(
    (provider) =>
      settings[`oauth.${provider}-enabled`] &&
      settings[`oauth.${provider}-clientId`] !== '' &&
      (provider !== 'oidc' || settings['oauth.oidc-discoveryUri'] !== ''),
  )
}

/**
 * Returns the client of an enabled provider. `base` is the site's URL.
 * @throws {SocialError} provider_disabled, provider_unavailable, provider_misconfigured
 */
export async function openClient(ctx: ClientContext, provider: Provider, base: string): Promise<Client> {
  const settings = await readSettings(ctx)
  if (!availableProviders(settings).includes(provider)) throw new SocialError('provider_disabled')
  try {
    return await clientOf(ctx, provider, settings, base)
  } catch (cause) {
    throw toSocialError(cause)
  }
}

/**
 * Returns the client of a provider, even if it is not enabled.
 * @throws {ProviderError} when a setting is missing or discovery fails
 */
export async function clientOf(
  ctx: ClientContext,
  provider: Provider,
  settings: Settings,
  base: string,
  discoverProvider: typeof discover = discover,
): Promise<Client> {
  const id = settings[`oauth.${provider}-clientId`]
  const secret = await readSecret(ctx, `oauth.${provider}-clientSecret`)
  const address = discoveryOf(ctx, provider, settings)
  if (!id || (!secret && provider !== 'oidc') || address === '') {
    throw new ProviderError('Some settings of the provider are missing.', 'incomplete')
  }
  const openId = address === null ? null : await discoverProvider(address)
  return {
    provider,
    id,
    secret,
    redirectUri: `${base}/api/oauth/callback/${provider}`,
    scope: scopeOf(provider, settings),
    ...endpointsOf(ctx, provider, { openId, secret }),
    openId,
    settings,
  }
}

function discoveryOf({ identityProviders }: ClientContext, provider: Provider, settings: Settings): string | null {
  if (provider === 'google') return identityProviders.google.discovery
  if (provider === 'microsoft') {
    return identityProviders.microsoft.discovery.replace('{tenant}', settings['oauth.microsoft-tenant'])
  }
  return provider === 'oidc' ? settings['oauth.oidc-discoveryUri'] : null
}

function endpointsOf({ identityProviders }: ClientContext, provider: Provider, { openId, secret }: Pick<Client, 'openId' | 'secret'>) {
  if (openId) {
    const { authorization_endpoint, token_endpoint } = openId.metadata
    return { authorize: authorization_endpoint, token: token_endpoint, auth: authMethodsOf(secret, openId.metadata) }
  }
  const { authorize, token } = identityProviders[provider as 'github' | 'discord']
  return { authorize, token, auth: ['client_secret_post' as const] }
}

function scopeOf(provider: Provider, settings: Settings): string[] {
  if (provider === 'github') return ['user:email']
  if (provider === 'discord') return ['identify', 'email', ...(settings['oauth.discord-limitedGuild'] ? ['guilds'] : [])]
  return ['openid', 'email', 'profile']
}

// Errors of a token endpoint about the client, not the code (RFC 6749, 5.2, and GitHub's own
// codes).
const clientErrors = ['invalid_client', 'unauthorized_client', 'incorrect_client_credentials', 'redirect_uri_mismatch', 'incomplete']

/** Returns whether a provider refuses this installation, rather than this sign-in. */
export function isClientError({ code }: ProviderError): boolean {
  return code !== null && clientErrors.includes(code)
}

/** Converts a failure of a provider into the error that the user is shown. */
export function toSocialError(error: unknown): SocialError {
  if (error instanceof SocialError) return error
  if (!(error instanceof ProviderError)) return new SocialError('default', { cause: error })
  if (isClientError(error)) return new SocialError('provider_misconfigured', { cause: error })
  return new SocialError(error.code === 'invalid_grant' ? 'invalid_token' : 'provider_unavailable', { cause: error })
}

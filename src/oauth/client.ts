import { readSecret, readSettings } from '../config/service.ts'
import type { Settings } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { type Discovered, discover } from './discovery.ts'
import { ProviderError, SocialError } from './errors.ts'
import { type Provider, providers } from './limits.ts'

/** What this installation is to a provider, at this moment. */
export interface Client {
  provider: Provider
  id: string
  secret: string
  /** Where the provider sends browsers back to. */
  redirectUri: string
  scope: string[]
  authorize: string
  token: string
  /** How the provider wants the secret: as Basic credentials, or beside the code. */
  secretIn: 'header' | 'body'
  /** Null for those that have an API of their own in place of OpenID Connect. */
  openId: Discovered | null
  settings: Settings
}

export type ClientContext = Pick<Context, 'db' | 'env' | 'sealer' | 'log' | 'identityProviders'>

/** The providers that are switched on and have what they need, in their order. */
export function availableProviders(settings: Settings): Provider[] {
  return providers.filter(
    (provider) =>
      settings[`oauth.${provider}-enabled`] &&
      settings[`oauth.${provider}-clientId`] !== '' &&
      (provider !== 'oidc' || settings['oauth.oidc-discoveryUri'] !== ''),
  )
}

/** A provider's client by the settings of now. Throws SocialError `provider_disabled`, `provider_unavailable` or `provider_misconfigured`. `base`: our own address. */
export async function openClient(ctx: ClientContext, provider: Provider, base: string): Promise<Client> {
  const settings = await readSettings(ctx)
  if (!availableProviders(settings).includes(provider)) throw new SocialError('provider_disabled')
  try {
    return await clientOf(ctx, provider, settings, base)
  } catch (cause) {
    throw toSocialError(cause)
  }
}

/** The client, whether switched on or not. Throws ProviderError. */
export async function clientOf(
  ctx: ClientContext,
  provider: Provider,
  settings: Settings,
  base: string,
  find: typeof discover = discover,
): Promise<Client> {
  const id = settings[`oauth.${provider}-clientId`]
  const secret = await readSecret(ctx, `oauth.${provider}-clientSecret`)
  const address = discoveryOf(ctx, provider, settings)
  if (!id || !secret || address === '') throw new ProviderError('Not all of its settings are set.', 'incomplete')
  const openId = address === null ? null : await find(address)
  return {
    provider,
    id,
    secret,
    redirectUri: `${base}/api/oauth/callback/${provider}`,
    scope: scopeOf(provider, settings),
    ...endpointsOf(ctx, provider, openId),
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

function endpointsOf({ identityProviders }: ClientContext, provider: Provider, openId: Discovered | null) {
  if (openId) {
    const { authorization_endpoint, token_endpoint, token_endpoint_auth_methods_supported: methods } = openId.metadata
    const secretIn = !methods || methods.includes('client_secret_basic') ? ('header' as const) : ('body' as const)
    return { authorize: authorization_endpoint, token: token_endpoint, secretIn }
  }
  const { authorize, token } = identityProviders[provider as 'github' | 'discord']
  return { authorize, token, secretIn: 'body' as const }
}

function scopeOf(provider: Provider, settings: Settings): string[] {
  if (provider === 'github') return ['user:email']
  if (provider === 'discord') return ['identify', 'email', ...(settings['oauth.discord-limitedGuild'] ? ['guilds'] : [])]
  return ['openid', 'email', 'profile']
}

// What a token endpoint says of a client, and not of a code (RFC 6749, 5.2; GitHub has words of its own).
const clientErrors = ['invalid_client', 'unauthorized_client', 'incorrect_client_credentials', 'redirect_uri_mismatch', 'incomplete']

/** Whether a provider refuses this installation, and not this sign-in. */
export function isClientError({ code }: ProviderError): boolean {
  return code !== null && clientErrors.includes(code)
}

/** What the person before the browser is told when a provider did not do its part. */
export function toSocialError(error: unknown): SocialError {
  if (error instanceof SocialError) return error
  if (!(error instanceof ProviderError)) return new SocialError('default', { cause: error })
  if (isClientError(error)) return new SocialError('provider_misconfigured', { cause: error })
  return new SocialError(error.code === 'invalid_grant' ? 'invalid_token' : 'provider_unavailable', { cause: error })
}

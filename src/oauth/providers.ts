/**
 * The addresses of a provider with its own OAuth 2.0 API. Its subjects are stored under `issuer`.
 */
interface OAuthApi {
  issuer: string
  authorize: string
  token: string
  api: string
}

/** The addresses of the providers that are the same for all installations. */
export interface IdentityProviders {
  github: OAuthApi
  discord: OAuthApi
  google: { discovery: string }
  /** `{tenant}` is a placeholder for the setting. */
  microsoft: { discovery: string }
}

export const identityProviders: IdentityProviders = {
  // https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
  github: {
    issuer: 'https://github.com',
    authorize: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
    api: 'https://api.github.com',
  },
  // https://discord.com/developers/docs/topics/oauth2
  discord: {
    issuer: 'https://discord.com',
    authorize: 'https://discord.com/oauth2/authorize',
    token: 'https://discord.com/api/v10/oauth2/token',
    api: 'https://discord.com/api/v10',
  },
  // https://developers.google.com/identity/openid-connect/openid-connect#discovery
  google: { discovery: 'https://accounts.google.com/.well-known/openid-configuration' },
  // https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc
  microsoft: { discovery: 'https://login.microsoftonline.com/{tenant}/v2.0/.well-known/openid-configuration' },
}

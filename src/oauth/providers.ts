/** Where a provider with an OAuth 2.0 API of its own is asked. `issuer` is what its subjects are kept under. */
interface OwnApi {
  issuer: string
  authorize: string
  token: string
  api: string
}

/** Where the providers are found whose addresses are the same for everybody. */
export interface IdentityProviders {
  github: OwnApi
  discord: OwnApi
  google: { discovery: string }
  /** `{tenant}` stands for the setting. */
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

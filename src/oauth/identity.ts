import type { Context } from '../context.ts'
import { type Claims, emailOf, flagOf, textOf, userInfo } from './claims.ts'
import type { Client } from './client.ts'
import { SocialError } from './errors.ts'
import type { Tokens } from './flow.ts'
import type { Provider } from './limits.ts'
import { openIdentity } from './openid-identity.ts'
import type { IdentityProviders } from './providers.ts'

/** A provider's account. `issuer` and `subject` never change; everything else may. */
export interface Identity {
  provider: Provider
  issuer: string
  subject: string
  /** The username at the provider. */
  username: string
  email: string | null
  /** Whether the provider has verified that the address belongs to the user; null when unknown. */
  emailVerified: boolean | null
  idToken: string | null
}

export interface IdentityOptions {
  identityProviders: IdentityProviders
  nonce: string
  now: Date
  log: Context['log']
}

/**
 * Returns the account that tokens belong to.
 * @throws {SocialError} invalid_token, cannot_get_user_info, discord_guild_permission_denied
 * @throws {ProviderError} when the signing keys are unavailable
 */
export async function identityOf(client: Client, tokens: Tokens, { identityProviders, ...options }: IdentityOptions): Promise<Identity> {
  if (client.provider === 'github') return githubIdentity(identityProviders.github, tokens)
  if (client.provider === 'discord') return discordIdentity(identityProviders.discord, client, tokens)
  return openIdentity(client, tokens, options)
}

/**
 * https://docs.github.com/en/rest/users/users#get-the-authenticated-user and
 * https://docs.github.com/en/rest/users/emails
 */
async function githubIdentity({ issuer, api }: IdentityProviders['github'], { accessToken }: Tokens): Promise<Identity> {
  const [user, emails] = await Promise.all([userInfo(`${api}/user`, accessToken), userInfo(`${api}/user/emails`, accessToken)])
  const primary = (Array.isArray(emails) ? (emails as Claims[]) : []).find((email) => email?.primary === true)
  return {
    provider: 'github',
    issuer,
    subject: idOf(user.id),
    username: textOf(user, ['login']) ?? String(user.id),
    email: emailOf(primary ?? {}),
    emailVerified: flagOf(primary?.verified),
    idToken: null,
  }
}

/**
 * https://discord.com/developers/docs/resources/user#get-current-user and #get-current-user-guilds
 */
async function discordIdentity(
  { issuer, api }: IdentityProviders['discord'],
  { settings }: Client,
  { accessToken }: Tokens,
): Promise<Identity> {
  const guild = settings['oauth.discord-limitedGuild']
  const user = await userInfo(`${api}/users/@me`, accessToken)
  if (guild) {
    const guilds = await userInfo(`${api}/users/@me/guilds`, accessToken)
    const isMember = Array.isArray(guilds) && (guilds as Claims[]).some((joined) => joined?.id === guild)
    if (!isMember) throw new SocialError('discord_guild_permission_denied')
  }
  return {
    provider: 'discord',
    issuer,
    subject: idOf(user.id),
    username: textOf(user, ['username']) ?? String(user.id),
    email: emailOf(user),
    emailVerified: flagOf(user.verified),
    idToken: null,
  }
}

function idOf(id: unknown): string {
  if ((typeof id === 'string' && id !== '') || typeof id === 'number') return String(id)
  throw new SocialError('cannot_get_user_info', { message: 'the id is missing' })
}

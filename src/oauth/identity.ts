import { emailFormat } from '../http/formats.ts'
import { emailMaxLength } from '../users/limits.ts'
import type { Client } from './client.ts'
import { ProviderError, SocialError } from './errors.ts'
import type { Tokens } from './flow.ts'
import { type IdClaims, verifyIdToken } from './id-token.ts'
import type { Provider } from './limits.ts'
import { getWithToken } from './provider-call.ts'
import type { IdentityProviders } from './providers.ts'

/** Who somebody is to a provider. `issuer` and `subject` stay the same for good; all else may change. */
export interface Identity {
  provider: Provider
  issuer: string
  subject: string
  /** What the provider calls them. */
  username: string
  email: string | null
  /** Whether the provider has made sure that the address is theirs; null: it does not say. */
  emailVerified: boolean | null
  idToken: string | null
}

interface Asked {
  identityProviders: IdentityProviders
  nonce: string
  now: Date
}

/** Asks a provider whose tokens these are. Throws SocialError or ProviderError. */
export async function identityOf(client: Client, tokens: Tokens, { identityProviders, nonce, now }: Asked): Promise<Identity> {
  if (client.provider === 'github') return githubIdentity(identityProviders.github, tokens)
  if (client.provider === 'discord') return discordIdentity(identityProviders.discord, client, tokens)
  const claims = await verifyIdToken(client, tokens.idToken, nonce, now)
  return openIdentity(client, claims, tokens)
}

type Claims = Record<string, unknown>

async function openIdentity(client: Client, idClaims: IdClaims, { accessToken, idToken }: Tokens): Promise<Identity> {
  const chosen = client.settings['oauth.oidc-usernameClaim']
  const usernameClaims = client.provider === 'oidc' && chosen ? [chosen] : ['preferred_username', 'nickname', 'name']
  const { userinfo_endpoint: userinfo } = client.openId!.metadata
  const isEnough = textOf(idClaims, ['email']) !== null && textOf(idClaims, usernameClaims) !== null
  const more = isEnough || !userinfo ? {} : await userinfoOf(userinfo, accessToken, idClaims.sub)
  const claims: Claims = { ...more, ...Object.fromEntries(Object.entries(idClaims).filter(([, value]) => value !== null)) }
  const email = emailOf(claims)
  return {
    provider: client.provider,
    issuer: idClaims.iss,
    subject: idClaims.sub,
    username: textOf(claims, usernameClaims) ?? email ?? idClaims.sub,
    email,
    emailVerified: client.provider === 'microsoft' ? isDomainOwned(claims) : flagOf(claims.email_verified),
    idToken,
  }
}

/** What is told must be about the same person (OpenID Connect Core 1.0, 5.3.2). */
async function userinfoOf(address: string, accessToken: string, subject: string): Promise<Claims> {
  const claims = await userInfo(address, accessToken)
  if (claims.sub !== subject) throw new SocialError('invalid_token', { message: 'userinfo is about somebody else' })
  return claims
}

/**
 * An address that a tenant's administrator has typed in proves nothing, unless the tenant owns its domain: the optional claim `xms_edov`
 * (https://learn.microsoft.com/en-us/entra/identity-platform/migrate-off-email-claim-authorization). Null: not told.
 */
function isDomainOwned({ xms_edov: owned }: Claims): boolean | null {
  return owned === true || owned === 1 || owned === '1' || owned === 'true' ? true : null
}

/** https://docs.github.com/en/rest/users/users#get-the-authenticated-user and https://docs.github.com/en/rest/users/emails */
async function githubIdentity({ issuer, api }: IdentityProviders['github'], { accessToken }: Tokens): Promise<Identity> {
  const [user, emails] = await Promise.all([userInfo(`${api}/user`, accessToken), userInfo(`${api}/user/emails`, accessToken)])
  const primary = (Array.isArray(emails) ? (emails as Claims[]) : []).find((one) => one?.primary === true)
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

/** https://discord.com/developers/docs/resources/user#get-current-user and #get-current-user-guilds */
async function discordIdentity(
  { issuer, api }: IdentityProviders['discord'],
  { settings }: Client,
  { accessToken }: Tokens,
): Promise<Identity> {
  const guild = settings['oauth.discord-limitedGuild']
  const user = await userInfo(`${api}/users/@me`, accessToken)
  if (guild) {
    const guilds = await userInfo(`${api}/users/@me/guilds`, accessToken)
    const isMember = Array.isArray(guilds) && (guilds as Claims[]).some((one) => one?.id === guild)
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

async function userInfo(address: string, accessToken: string): Promise<Claims> {
  try {
    const answer = await getWithToken(address, accessToken)
    if (typeof answer === 'object' && answer !== null) return answer as Claims
    throw new ProviderError('not an object')
  } catch (cause) {
    throw new SocialError('cannot_get_user_info', { cause })
  }
}

function idOf(id: unknown): string {
  if ((typeof id === 'string' && id !== '') || typeof id === 'number') return String(id)
  throw new SocialError('cannot_get_user_info', { message: 'there is no id' })
}

/** The first of the claims that says something. */
function textOf(claims: Claims, names: string[]): string | null {
  const found = names.map((name) => claims[name]).find((value) => typeof value === 'string' && value.trim() !== '')
  return found === undefined ? null : (found as string).trim().slice(0, 200)
}

/** An address that an account can have. */
function emailOf({ email }: Claims): string | null {
  if (typeof email !== 'string') return null
  const address = email.trim()
  return address.length <= emailMaxLength && emailFormat.test(address) ? address : null
}

/** Some say it as text. */
function flagOf(value: unknown): boolean | null {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : null
}

import { emailFormat } from '../http/formats.ts'
import { emailMaxLength } from '../users/limits.ts'
import type { Client } from './client.ts'
import { ProviderError, SocialError } from './errors.ts'
import type { Tokens } from './flow.ts'
import { type IdClaims, type OpenClient, verifyIdToken, verifyUserinfo } from './id-token.ts'
import type { Provider } from './limits.ts'
import { getWithToken } from './provider-call.ts'
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

interface IdentityOptions {
  identityProviders: IdentityProviders
  nonce: string
  now: Date
}

/**
 * Returns the account that tokens belong to.
 * @throws {SocialError} invalid_token, cannot_get_user_info, discord_guild_permission_denied
 * @throws {ProviderError} when the signing keys are unavailable
 */
export async function identityOf(client: Client, tokens: Tokens, { identityProviders, nonce, now }: IdentityOptions): Promise<Identity> {
  if (client.provider === 'github') return githubIdentity(identityProviders.github, tokens)
  if (client.provider === 'discord') return discordIdentity(identityProviders.discord, client, tokens)
  return openIdentity(client, tokens, { nonce, now })
}

type Claims = Record<string, unknown>

async function openIdentity(
  client: Client,
  { accessToken, idToken }: Tokens,
  { nonce, now }: Pick<IdentityOptions, 'nonce' | 'now'>,
): Promise<Identity> {
  const { openId } = client
  if (!openId) throw new SocialError('default', { message: `${client.provider} has no OpenID Connect metadata` })
  const idClaims = await verifyIdToken({ ...client, openId }, idToken, nonce, now)
  const customClaim = client.settings['oauth.oidc-usernameClaim']
  const usernameClaims = client.provider === 'oidc' && customClaim ? [customClaim] : ['preferred_username', 'nickname', 'name']
  const isEnough = isComplete(client.provider, idClaims, usernameClaims)
  const more = isEnough ? {} : await userinfoOf({ ...client, openId }, accessToken, idClaims)
  const claims = merged(idClaims, more)
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

/**
 * Returns whether an id_token has all claims that an account is created from. Google and Microsoft
 * never send the username or `email_verified`, also not at the userinfo endpoint.
 */
function isComplete(provider: Provider, claims: Claims, usernameClaims: string[]): boolean {
  if (textOf(claims, ['email']) === null) return false
  if (provider !== 'oidc') return textOf(claims, usernameClaims) !== null
  return textOf(claims, usernameClaims.slice(0, 1)) !== null && flagOf(claims.email_verified) !== null
}

/**
 * Merges the claims of the id_token and of userinfo; the id_token takes precedence. A flag about one
 * address says nothing about another one.
 */
function merged(idClaims: Claims, more: Claims): Claims {
  const claims: Claims = { ...more, ...Object.fromEntries(Object.entries(idClaims).filter(([, value]) => value !== null)) }
  const [idEmail, otherEmail] = [emailOf(idClaims), emailOf(more)]
  if (idEmail === null || otherEmail === null || idEmail.toLowerCase() === otherEmail.toLowerCase()) return claims
  return { ...claims, email_verified: idClaims.email_verified }
}

/**
 * Returns the claims of the userinfo endpoint, if there is one. They must have the same subject
 * (OpenID Connect Core 1.0, 5.3.2).
 */
async function userinfoOf(client: OpenClient, accessToken: string, { iss, sub }: Pick<IdClaims, 'iss' | 'sub'>): Promise<Claims> {
  const address = client.openId.metadata.userinfo_endpoint
  if (!address) return {}
  const response = await fetchUserInfo(address, accessToken)
  const claims = typeof response === 'string' ? await verifyUserinfo(client, response, iss) : response
  if (claims.sub !== sub) throw new SocialError('invalid_token', { message: 'userinfo has another subject' })
  return claims
}

/**
 * Returns true when the tenant owns the domain of the email address (optional claim `xms_edov`),
 * and null when unknown. Otherwise the address proves nothing, because the tenant's administrator
 * can enter any
 * (https://learn.microsoft.com/en-us/entra/identity-platform/migrate-off-email-claim-authorization).
 */
function isDomainOwned({ xms_edov: owned }: Claims): boolean | null {
  return owned === true || owned === 1 || owned === '1' || owned === 'true' ? true : null
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

async function userInfo(address: string, accessToken: string): Promise<Claims> {
  const claims = await fetchUserInfo(address, accessToken)
  if (typeof claims === 'string') throw new SocialError('cannot_get_user_info', { message: 'the response is not JSON' })
  return claims
}

/** Returns the claims, or the text of a signed response. */
async function fetchUserInfo(address: string, accessToken: string): Promise<Claims | string> {
  try {
    const claims = await getWithToken(address, accessToken)
    if (typeof claims === 'string' || (typeof claims === 'object' && claims !== null)) return claims as Claims | string
    throw new ProviderError('not an object')
  } catch (cause) {
    throw new SocialError('cannot_get_user_info', { cause })
  }
}

function idOf(id: unknown): string {
  if ((typeof id === 'string' && id !== '') || typeof id === 'number') return String(id)
  throw new SocialError('cannot_get_user_info', { message: 'the id is missing' })
}

/** Returns the first claim that is a non-empty text. */
function textOf(claims: Claims, names: string[]): string | null {
  const texts = names.map((name) => claims[name]).filter((value) => typeof value === 'string')
  const text = texts.map((value) => value.trim()).find((value) => value !== '')
  return text?.slice(0, 200) ?? null
}

/** Returns the email address if an account can have it. */
function emailOf({ email }: Claims): string | null {
  if (typeof email !== 'string') return null
  const address = email.trim()
  return address.length <= emailMaxLength && emailFormat.test(address) ? address : null
}

/** Parses a flag, which some providers send as text. */
function flagOf(value: unknown): boolean | null {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : null
}

import { type Claims, emailOf, fetchUserInfo, flagOf, textOf } from './claims.ts'
import type { Client } from './client.ts'
import { SocialError } from './errors.ts'
import { rootMessageOf } from './failures.ts'
import type { Tokens } from './flow.ts'
import { type IdClaims, type OpenClient, verifyIdToken, verifyUserinfo } from './id-token.ts'
import type { Identity, IdentityOptions } from './identity.ts'
import type { Provider } from './limits.ts'

type Log = IdentityOptions['log']

/**
 * Returns the account that tokens of an OpenID Connect provider belong to.
 * @throws {SocialError} invalid_token, cannot_get_user_info
 * @throws {ProviderError} when the signing keys are unavailable
 */
export async function openIdentity(
  client: Client,
  { accessToken, idToken }: Tokens,
  { nonce, now, log }: Omit<IdentityOptions, 'identityProviders'>,
): Promise<Identity> {
  const { openId } = client
  if (!openId) throw new SocialError('default', { message: `${client.provider} has no OpenID Connect metadata` })
  const idClaims = await verifyIdToken({ ...client, openId }, idToken, nonce, now)
  const customClaim = client.settings['oauth.oidc-usernameClaim']
  const usernameClaims = client.provider === 'oidc' && customClaim ? [customClaim] : ['preferred_username', 'nickname', 'name']
  const more = await missingClaims({ ...client, openId }, accessToken, { idClaims, usernameClaims, log })
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
 * Returns the claims of userinfo if the id_token lacks some. A failing endpoint doesn't matter if
 * only the best claim for the username is missing.
 */
async function missingClaims(
  client: OpenClient,
  accessToken: string,
  { idClaims, usernameClaims, log }: { idClaims: IdClaims; usernameClaims: string[]; log: Log },
): Promise<Claims> {
  const { provider } = client
  const best = provider === 'oidc' ? usernameClaims.slice(0, 1) : usernameClaims
  if (isComplete(provider, idClaims, best)) return {}
  try {
    return await userinfoOf(client, accessToken, idClaims)
  } catch (error) {
    if (isForeign(error) || !isComplete(provider, idClaims, usernameClaims)) throw error
    log.warn({ provider, reason: rootMessageOf(error) }, 'userinfo failed; signing in with the ID token alone')
    return {}
  }
}

/**
 * Returns whether an id_token has all claims that an account is created from. Google and Microsoft
 * never send the username or `email_verified`, also not at the userinfo endpoint.
 */
function isComplete(provider: Provider, claims: Claims, usernameClaims: string[]): boolean {
  const hasNames = textOf(claims, ['email']) !== null && textOf(claims, usernameClaims) !== null
  return hasNames && (provider !== 'oidc' || flagOf(claims.email_verified) !== null)
}

/** Returns whether an error reports the claims of another user. */
function isForeign(error: unknown): boolean {
  return error instanceof SocialError && error.key === 'invalid_token'
}

/**
 * Merges the claims of the id_token and of userinfo; the id_token takes precedence. A flag about
 * one address says nothing about another one.
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

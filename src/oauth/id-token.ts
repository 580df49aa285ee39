import { decodeJwt, type JWTPayload, jwtVerify } from 'jose'
import type { Client } from './client.ts'
import type { DiscoveredProvider } from './discovery.ts'
import { ProviderError, SocialError } from './errors.ts'
import type { Provider } from './limits.ts'

const clockTolerance = 60 // seconds
// Only signatures by the provider's private key, because a leaked client secret must not sign
// tokens.
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

export interface IdClaims extends JWTPayload {
  iss: string
  sub: string
}

/** A client of an OpenID Connect provider. */
export type OpenClient = Client & { openId: DiscoveredProvider }

/**
 * Verifies that the issuer signed an id_token for this client and attempt, and returns its claims
 * (OpenID Connect Core 1.0, 3.1.3.7).
 * @throws {SocialError} invalid_token
 * @throws {ProviderError} when the keys are unavailable
 */
export async function verifyIdToken(
  { provider, id, openId }: OpenClient,
  idToken: string | null,
  nonce: string,
  now: Date,
): Promise<IdClaims> {
  try {
    if (idToken === null) throw new Error('the id_token is missing')
    const { payload } = await jwtVerify<IdClaims>(idToken, openId.keys, {
      issuer: issuerOf(provider, openId, idToken),
      audience: id,
      currentDate: now,
      clockTolerance,
      algorithms,
      requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
    })
    if (payload.nonce !== nonce) throw new Error('the nonce belongs to another sign-in')
    if (Array.isArray(payload.aud) && payload.aud.length > 1 && payload.azp !== id) throw new Error('the token is for another client')
    if (typeof payload.sub !== 'string' || payload.sub === '') throw new Error('the subject is missing')
    return payload
  } catch (cause) {
    throw cause instanceof ProviderError ? cause : new SocialError('invalid_token', { cause })
  }
}

/**
 * Verifies a signed response of the userinfo endpoint, and returns its claims (OpenID Connect Core
 * 1.0, 5.3.2).
 * @throws {SocialError} cannot_get_user_info: also when it is encrypted or signed in another way
 * @throws {ProviderError} when the keys are unavailable
 */
export async function verifyUserinfo({ id, openId }: OpenClient, response: string, issuer: string): Promise<JWTPayload> {
  try {
    if (response.split('.').length === 5) throw new Error('userinfo is encrypted; let the provider sign it only, or send JSON')
    const { payload } = await jwtVerify(response, openId.keys, { issuer, audience: id, clockTolerance, algorithms })
    return payload
  } catch (cause) {
    throw cause instanceof ProviderError ? cause : new SocialError('cannot_get_user_info', { cause })
  }
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Returns the expected issuer. For multiple tenants, Microsoft's metadata contains `{tenantid}` in
 * place of the token's tenant
 * (https://learn.microsoft.com/en-us/entra/identity-platform/access-tokens#validate-the-issuer).
 */
function issuerOf(provider: Provider, { metadata: { issuer } }: DiscoveredProvider, idToken: string): string {
  if (provider !== 'microsoft' || !issuer.includes('{tenantid}')) return issuer
  const { tid } = decodeJwt(idToken)
  if (typeof tid !== 'string' || !guid.test(tid)) throw new Error('the tenant is missing')
  return issuer.replace('{tenantid}', tid)
}

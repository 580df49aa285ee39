import { decodeJwt, type JWTPayload, jwtVerify } from 'jose'
import type { Client } from './client.ts'
import { ProviderError, SocialError } from './errors.ts'

const clockTolerance = 60 // seconds
// Signatures by the provider's private key: who knows a client secret cannot make one.
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

export interface IdClaims extends JWTPayload {
  iss: string
  sub: string
}

/**
 * The claims of an id_token that its issuer has signed for us, now, in answer to this very attempt (OpenID Connect Core 1.0, 3.1.3.7). Throws SocialError
 * `invalid_token`, or ProviderError when the keys cannot be had.
 */
export async function verifyIdToken(client: Client, idToken: string | null, nonce: string, now: Date): Promise<IdClaims> {
  const { keys } = client.openId!
  try {
    if (idToken === null) throw new Error('there is no id_token')
    const { payload } = await jwtVerify<IdClaims>(idToken, keys, {
      issuer: issuerOf(client, idToken),
      audience: client.id,
      currentDate: now,
      clockTolerance,
      algorithms,
      requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
    })
    if (payload.nonce !== nonce) throw new Error('its nonce is of another sign-in')
    if (Array.isArray(payload.aud) && payload.aud.length > 1 && payload.azp !== client.id) throw new Error('it is for another client')
    if (typeof payload.sub !== 'string' || payload.sub === '') throw new Error('it names nobody')
    return payload
  } catch (cause) {
    throw cause instanceof ProviderError ? cause : new SocialError('invalid_token', { cause })
  }
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Who must have issued the token. For several tenants Microsoft describes an issuer with `{tenantid}` in it, in whose place stands the token's tenant
 * (https://learn.microsoft.com/en-us/entra/identity-platform/access-tokens#validate-the-issuer).
 */
function issuerOf({ provider, openId }: Client, idToken: string): string {
  const { issuer } = openId!.metadata
  if (provider !== 'microsoft' || !issuer.includes('{tenantid}')) return issuer
  const { tid } = decodeJwt(idToken)
  if (typeof tid !== 'string' || !guid.test(tid)) throw new Error('it names no tenant')
  return issuer.replace('{tenantid}', tid)
}

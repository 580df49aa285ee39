import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { ProviderError } from './errors.ts'
import { getJson } from './provider-call.ts'

const text = Type.String({ minLength: 1, maxLength: 2000 })

/** The required part of a provider's metadata (OpenID Connect Discovery 1.0, 3). */
const Metadata = Type.Object({
  issuer: text,
  authorization_endpoint: text,
  token_endpoint: text,
  jwks_uri: text,
  userinfo_endpoint: Type.Optional(text),
  end_session_endpoint: Type.Optional(text),
  token_endpoint_auth_methods_supported: Type.Optional(Type.Array(Type.String())),
  authorization_response_iss_parameter_supported: Type.Optional(Type.Boolean()),
})
export type Metadata = Static<typeof Metadata>

/** A provider's metadata and public signing keys. */
export interface DiscoveredProvider {
  metadata: Metadata
  keys: JWTVerifyGetKey & { reload(): Promise<void> }
}

const cacheTime = 300_000 // ms
const maxCached = 20
const cache = new Map<string, { provider: Promise<DiscoveredProvider>; until: number }>()

/**
 * Returns a provider's metadata, cached for 5 minutes.
 * @throws {ProviderError} when it is unavailable, invalid or not trustworthy
 */
export function discover(address: string): Promise<DiscoveredProvider> {
  const now = Date.now()
  const cached = cache.get(address)
  if (cached && cached.until > now) return cached.provider
  if (cache.size >= maxCached) cache.clear()
  const provider = discoverUncached(address)
  cache.set(address, { provider, until: now + cacheTime })
  provider.catch(() => cache.get(address)?.provider === provider && cache.delete(address))
  return provider
}

/**
 * Fetches a provider's metadata.
 * @throws {ProviderError} when it is unavailable, invalid or not trustworthy
 */
export async function discoverUncached(address: string): Promise<DiscoveredProvider> {
  const metadata = await getJson(address)
  if (!Check(Metadata, metadata)) throw new ProviderError(`${address} does not describe an OpenID Connect provider`)
  checkAddresses(metadata, address)
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
    cooldownDuration: 0, // tokens come only from the provider, so an unknown key is a new one
    [customFetch]: async (url) => Response.json(await getJson(String(url))),
  })
  return { metadata, keys }
}

/**
 * Refuses endpoints that fall back to http, and issuers of another site, because subjects are
 * stored by issuer.
 */
function checkAddresses(metadata: Metadata, address: string): void {
  const discoveryUrl = new URL(address)
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint, end_session_endpoint } = metadata
  for (const endpoint of [authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint, end_session_endpoint]) {
    if (endpoint !== undefined && !isAsSafe(endpoint, discoveryUrl))
      throw new ProviderError(`${address} contains an insecure address: ${endpoint}`)
  }
  if (!URL.canParse(metadata.issuer) || new URL(metadata.issuer).origin !== discoveryUrl.origin) {
    throw new ProviderError(`${address} describes another site: ${metadata.issuer}`)
  }
}

function isAsSafe(endpoint: string, { protocol }: URL): boolean {
  if (!URL.canParse(endpoint)) return false
  const { protocol: endpointProtocol } = new URL(endpoint)
  return endpointProtocol === 'https:' || (endpointProtocol === 'http:' && protocol === 'http:')
}

import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { ProviderError } from './errors.ts'
import { getJson } from './provider-call.ts'

const text = Type.String({ minLength: 1, maxLength: 2000 })

/** What we need of a provider's description of itself (OpenID Connect Discovery 1.0, 3). */
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

/** A provider as it was found, with the keys that it signs by. */
export interface Discovered {
  metadata: Metadata
  keys: JWTVerifyGetKey & { reload(): Promise<void> }
}

const remembered = 300_000 // ms
const most = 20
const known = new Map<string, { found: Promise<Discovered>; until: number }>()

/** Reads a provider's description, at most every 5 minutes. Throws ProviderError when it cannot be had, or is not to be trusted. */
export function discover(address: string): Promise<Discovered> {
  const now = Date.now()
  const before = known.get(address)
  if (before && before.until > now) return before.found
  if (known.size >= most) known.clear()
  const found = rediscover(address)
  known.set(address, { found, until: now + remembered })
  found.catch(() => known.get(address)?.found === found && known.delete(address))
  return found
}

/** The same, now. */
export async function rediscover(address: string): Promise<Discovered> {
  const metadata = await getJson(address)
  if (!Check(Metadata, metadata)) throw new ProviderError(`${address} does not describe an OpenID Connect provider`)
  checkAddresses(metadata, address)
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
    cooldownDuration: 0, // only the provider hands us tokens: an unknown key is a new one
    [customFetch]: async (url) => Response.json(await getJson(String(url))),
  })
  return { metadata, keys }
}

/** No call falls back from https to http, and a provider speaks for its own site only: subjects are kept under the name of their issuer. */
function checkAddresses(metadata: Metadata, address: string): void {
  const asked = new URL(address)
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint, end_session_endpoint } = metadata
  for (const endpoint of [authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint, end_session_endpoint]) {
    if (endpoint !== undefined && !isAsSafe(endpoint, asked))
      throw new ProviderError(`${address} names an address that is not safe: ${endpoint}`)
  }
  if (!URL.canParse(metadata.issuer) || new URL(metadata.issuer).origin !== asked.origin) {
    throw new ProviderError(`${address} describes another site: ${metadata.issuer}`)
  }
}

function isAsSafe(endpoint: string, { protocol }: URL): boolean {
  if (!URL.canParse(endpoint)) return false
  const { protocol: own } = new URL(endpoint)
  return own === 'https:' || (own === 'http:' && protocol === 'http:')
}

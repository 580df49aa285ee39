import type { Client } from './client.ts'
import type { Metadata } from './discovery.ts'

/** How a client authenticates at the token endpoint (OpenID Connect Core 1.0, 9). */
export type ClientAuth = 'client_secret_basic' | 'client_secret_post' | 'none'

const accepted = new Map<string, ClientAuth>()
const maxRemembered = 100

/**
 * Returns the ways to authenticate that a provider supports, in the order to try them. A client
 * without a secret is a public client, which only PKCE protects.
 */
export function authMethodsOf(secret: string, { token_endpoint_auth_methods_supported: methods }: Metadata): ClientAuth[] {
  if (secret === '') return ['none']
  const both: ClientAuth[] = ['client_secret_basic', 'client_secret_post']
  if (!methods) return both
  const supported = both.filter((method) => methods.includes(method))
  return supported.length > 0 ? supported : ['client_secret_post']
}

/**
 * Returns the client's ways to authenticate, starting with the one that the provider accepted
 * before.
 */
export function withRememberedFirst(client: Client): ClientAuth[] {
  const remembered = accepted.get(keyOf(client))
  return [...client.auth].sort((a, b) => Number(b === remembered) - Number(a === remembered))
}

/** Remembers in this process how the provider accepts the client. */
export function rememberAuth(client: Client, auth: ClientAuth): void {
  if (accepted.size >= maxRemembered) accepted.clear()
  accepted.set(keyOf(client), auth)
}

function keyOf({ token, id }: Client): string {
  return `${token} ${id}`
}

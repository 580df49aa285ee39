import type { FastifyOAuth2Options, OAuth2Namespace } from '@fastify/oauth2'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Client } from './client.ts'
import type { ClientAuth } from './client-auth.ts'
import { ProviderError } from './errors.ts'
import { providerTimeout, responseMaxBytes, userAgent } from './provider-call.ts'

/**
 * Registers the plugin on a new instance that never listens, which takes 3 ms. The plugin reads
 * credentials only at registration, but settings may change between two requests.
 * @throws {ProviderError} incomplete: when the plugin rejects the credentials; its own error
 *   contains the secret
 */
export async function openPlugin(client: Client, auth: ClientAuth, options: Partial<FastifyOAuth2Options>): Promise<OAuth2Namespace> {
  const app = Fastify()
  try {
    await registerPlugin(app, {
      name: 'flow',
      credentials: credentialsOf(client, auth),
      scope: client.scope,
      callbackUri: client.redirectUri,
      pkce: 'S256',
      generateStateFunction: () => '',
      checkStateFunction: () => true, // callback.ts checks it
      ...options,
    })
  } catch {
    throw new ProviderError(
      'The client ID, the client secret or an address of the provider has characters that are not allowed.',
      'incomplete',
    )
  }
  return app.getDecorator<OAuth2Namespace>('flow')
}

/**
 * Calls the plugin directly, because an error that it throws inside `app.register` would end the
 * process.
 */
async function registerPlugin(app: FastifyInstance, options: FastifyOAuth2Options): Promise<void> {
  const { default: oauth2 } = await import('@fastify/oauth2') // its libraries take 50 ms to load
  return new Promise((resolve, reject) => oauth2(app, options, (error) => (error ? reject(error) : resolve())))
}

function credentialsOf({ id, secret, authorize, token }: Client, auth: ClientAuth): FastifyOAuth2Options['credentials'] {
  const [authorizeUrl, tokenUrl] = [new URL(authorize), new URL(token)]
  return {
    // The plugin always sends a secret. For a public client, the ID is sent in its place.
    client: auth === 'none' ? { id, secret: id, secretParamName: 'client_id' } : { id, secret },
    auth: {
      authorizeHost: authorizeUrl.origin,
      authorizePath: authorizeUrl.pathname + authorizeUrl.search,
      tokenHost: tokenUrl.origin,
      tokenPath: tokenUrl.pathname + tokenUrl.search,
    },
    http: { timeout: providerTimeout, maxBytes: responseMaxBytes, json: 'force', headers: { 'User-Agent': userAgent } },
    options: { authorizationMethod: auth === 'client_secret_basic' ? 'header' : 'body' },
  }
}

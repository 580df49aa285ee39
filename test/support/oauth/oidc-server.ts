import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { clientId, clientSecret } from './social.ts'

interface Test {
  teardown(work: () => Promise<unknown>): void
}

/**
 * A certified OpenID Connect server with its own pages for sign-in (any password), consent and
 * sign-out. A user's name determines the claims: `ann` has the verified address `ann@idp.example`.
 * Only userinfo returns them.
 */
export async function oidcServer(t: Test, site: string) {
  const server = createServer((request, response) => handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${site}/api/oauth/callback/oidc`],
        post_logout_redirect_uris: [`${site}/`],
      },
    ],
    pkce: { required: () => true },
    cookies: { keys: ['a key of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username'] },
    features: { devInteractions: { enabled: true } },
    async findAccount(_: unknown, id: string) {
      return {
        accountId: id,
        claims: async () => ({ sub: id, preferred_username: id, email: `${id}@idp.example`, email_verified: true }),
      }
    },
  })
  const handle = provider.callback()
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
  })
  return { issuer, discoveryUri: `${issuer}/.well-known/openid-configuration` }
}

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { clientId, clientSecret } from './social.ts'

interface Test {
  teardown(work: () => Promise<unknown>): void
}

/** How the server is set up. */
interface Options {
  /** The client's registration, such as its `token_endpoint_auth_method`. */
  client?: Record<string, unknown>
  /** Other settings of oidc-provider. */
  settings?: Record<string, unknown>
  /**
   * Rejects credentials in the header, as some providers do for clients registered for the body.
   */
  rejectsBasic?: boolean
}

/**
 * A certified OpenID Connect server with its own pages for sign-in (any password), consent and
 * sign-out. A user's name determines the claims: `ann` has the verified address `ann@idp.example`.
 * By default only userinfo returns them.
 */
export async function oidcServer(t: Test, site: string, { client = {}, settings = {}, rejectsBasic = false }: Options = {}) {
  const requests: { path: string; authorization: string | undefined; status: number }[] = []
  const server = createServer((request, response) => {
    const path = new URL(request.url!, issuer).pathname
    response.on('finish', () => requests.push({ path, authorization: request.headers.authorization, status: response.statusCode }))
    if (!rejectsBasic || path !== '/token' || !request.headers.authorization) return handle(request, response)
    response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error: 'invalid_client' }))
  })
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
        ...client,
      },
    ],
    pkce: { required: () => true },
    cookies: { keys: ['a key of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username', 'name'] },
    async findAccount(_: unknown, id: string) {
      const claims = { sub: id, preferred_username: id, name: `Full name of ${id}`, email: `${id}@idp.example`, email_verified: true }
      return { accountId: id, claims: async () => claims }
    },
    ...settings,
    features: { devInteractions: { enabled: true }, ...(settings.features as object) },
  })
  const tokenFields: string[][] = []
  provider.on('grant.success', ({ oidc }) => tokenFields.push(Object.keys(oidc.body ?? {}).sort()))
  const handle = provider.callback()
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
  })
  return { issuer, discoveryUri: `${issuer}/.well-known/openid-configuration`, requests, tokenFields }
}

/**
 * Signs in at the pages of an `oidcServer` and consents, as a browser without JavaScript does.
 * Returns path and query of the callback.
 */
export async function consentAs(name: string, authorize: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>()
  let [url, form] = [authorize, undefined as URLSearchParams | undefined]
  const forms = [new URLSearchParams({ prompt: 'login', login: name, password: 'any' }), new URLSearchParams({ prompt: 'consent' })]
  for (let steps = 0; steps < 15; steps++) {
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ')
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie }, ...(form && { method: 'POST', body: form }) })
    for (const line of answer.headers.getSetCookie()) {
      const [, key, value] = /^([^=]+)=([^;]*)/.exec(line)!
      cookies.set(key!, value!)
    }
    const location = answer.headers.get('location')
    form = undefined
    if (location === null) form = forms.shift()
    else if (URL.canParse(location) && new URL(location).origin !== issuer) return location.slice(new URL(location).origin.length)
    else url = new URL(location, url).href
    if (location === null && (!form || !answer.ok)) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  }
  throw new Error('the provider never returns')
}

import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { IdentityProviders } from '../../../src/oauth/providers.ts'
import { clientId, clientSecret } from './social.ts'

interface Test {
  teardown(work: () => Promise<unknown>): void
}

type Json = Record<string, unknown>
type Reply = [status: number, body: unknown]
interface Grant {
  challenge: string
  redirectUri: string
  nonce: string | null
}

export const tenants = { contoso: '8eaef023-2b34-4da1-9baa-8bc8c9d6a490', consumers: '9188040d-6c67-4c5b-b112-36a304b66dad' }

/**
 * GitHub, Discord, Google and Microsoft on this machine, limited to signing in. Addresses, checks
 * and response shapes follow their documentation. Each accepts a code once, and only with the right
 * verifier, redirect address and client.
 */
export async function publishedProviders(t: Test) {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', use: 'sig', alg: 'RS256' }] }
  const grants = new Map<string, Grant>()
  const tokens = new Set<string>()
  const server = createServer((request, response) => void serve(request, response).catch((error) => response.destroy(error)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  // https://docs.github.com/en/rest/users/users#get-the-authenticated-user
  const githubUser = {
    login: 'octocat',
    id: 583231,
    node_id: 'MDQ6VXNlcjE=',
    type: 'User',
    name: 'monalisa octocat',
    email: null as string | null,
    two_factor_authentication: true,
  }
  // https://docs.github.com/en/rest/users/emails#list-email-addresses-for-the-authenticated-user
  const githubEmails: Json[] = [
    { email: 'old@github.example', verified: true, primary: false, visibility: null },
    { email: 'octocat@github.example', verified: true, primary: true, visibility: 'private' },
  ]
  // https://discord.com/developers/docs/resources/user#user-object
  const discordUser: Json = {
    id: '80351110224678912',
    username: 'nelly',
    discriminator: '0',
    global_name: 'Nelly',
    avatar: '8342729096ea3675442027381ff50dfe',
    verified: true,
    email: 'nelly@discord.example',
    flags: 64,
    premium_type: 1,
    public_flags: 64,
    mfa_enabled: true,
    locale: 'en-US',
  }
  // https://discord.com/developers/docs/resources/user#get-current-user-guilds
  const discordGuilds: Json[] = [
    { id: '80351110224678913', name: '1337 Krew', icon: null, banner: null, owner: true, permissions: '36953089', features: ['COMMUNITY'] },
  ]
  // https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload
  const googleClaims: Json = {
    sub: '10769150350006150715113082367',
    email: 'jsmith@google.example',
    email_verified: true,
    name: 'Jane Smith',
    given_name: 'Jane',
    family_name: 'Smith',
    picture: 'https://lh3.googleusercontent.com/a',
    hd: 'google.example',
    at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q',
  }
  // https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference
  const microsoftClaims: Json = {
    ver: '2.0',
    tid: tenants.contoso,
    oid: '00000000-0000-0000-66f3-3332eca7ea81',
    sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
    name: 'Abe Lincoln',
    preferred_username: 'AbeLi@microsoft.example',
    email: 'abeli@microsoft.example',
  }
  const world = {
    url,
    githubUser,
    githubEmails,
    discordUser,
    discordGuilds,
    googleClaims,
    microsoftClaims,
    asked: [] as string[],
    userAgents: new Set<unknown>(),
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, url)
    world.asked.push(`${request.method} ${pathname}`)
    world.userAgents.add(request.headers['user-agent'])
    let body = ''
    for await (const chunk of request) body += chunk
    if (pathname.endsWith('/authorize')) return authorize(searchParams, response)
    const [status, answer] = await answerTo(pathname, new URLSearchParams(body), request)
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(answer))
  }

  /** Consent is automatic: every visitor is signed in and agrees. */
  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID()
    if (query.get('client_id') !== clientId || query.get('response_type') !== 'code' || query.get('code_challenge_method') !== 'S256') {
      return void response.writeHead(400).end()
    }
    grants.set(code, { challenge: query.get('code_challenge')!, redirectUri: query.get('redirect_uri')!, nonce: query.get('nonce') })
    const back = new URL(query.get('redirect_uri')!)
    back.searchParams.set('code', code)
    back.searchParams.set('state', query.get('state')!)
    response.writeHead(302, { location: back.href }).end()
  }

  async function answerTo(path: string, form: URLSearchParams, { headers }: IncomingMessage): Promise<Reply> {
    const [, provider, ...rest] = path.split('/')
    if (rest.join('/').endsWith('.well-known/openid-configuration')) return [200, describe(provider!, rest[0]!)]
    if (path.endsWith('/keys')) return [200, keys]
    if (path.endsWith('/token')) return token(provider!, rest[0]!, form, headers.authorization)
    if (!tokens.has(`${provider} ${headers.authorization?.replace('Bearer ', '')}`)) return [401, { message: 'Bad credentials', code: 0 }]
    const answers: Record<string, unknown> = {
      '/github/user': githubUser,
      '/github/user/emails': githubEmails,
      '/discord/users/@me': discordUser,
      '/discord/users/@me/guilds': discordGuilds,
    }
    return path in answers ? [200, answers[path]] : [404, { message: 'Not Found' }]
  }

  /**
   * https://accounts.google.com/.well-known/openid-configuration and
   * https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration
   */
  function describe(provider: string, tenant: string): Json {
    const own = provider === 'google' ? `${url}/google` : `${url}/microsoft/${tenant}`
    const named = tenant === 'common' || tenant === 'organizations' ? '{tenantid}' : tenants.contoso
    return {
      issuer: provider === 'google' ? url : `${url}/${named}/v2.0`,
      authorization_endpoint: `${own}/authorize`,
      token_endpoint: `${own}/token`,
      jwks_uri: `${own}/keys`,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      id_token_signing_alg_values_supported: ['RS256'],
      subject_types_supported: [provider === 'google' ? 'public' : 'pairwise'],
    }
  }

  async function token(provider: string, tenant: string, form: URLSearchParams, authorization?: string): Promise<Reply> {
    const [id, secret] = authorization ? basic(authorization) : [form.get('client_id'), form.get('client_secret')]
    if (id !== clientId || secret !== clientSecret) return refusedClient(provider)
    const grant = grants.get(form.get('code')!)
    grants.delete(form.get('code')!)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!grant || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) return refusedCode(provider)
    const accessToken = randomUUID()
    tokens.add(`${provider} ${accessToken}`)
    // https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#2-users-are-redirected-back-to-your-site-by-github
    if (provider === 'github') return [200, { access_token: accessToken, scope: 'user:email', token_type: 'bearer' }]
    // https://discord.com/developers/docs/topics/oauth2#authorization-code-grant-access-token-response
    if (provider === 'discord')
      return [
        200,
        { access_token: accessToken, token_type: 'Bearer', expires_in: 604800, refresh_token: randomUUID(), scope: 'identify email' },
      ]
    const claims =
      provider === 'google'
        ? { iss: url, azp: clientId, ...googleClaims }
        : { iss: `${url}/${microsoftClaims.tid}/v2.0`, ...microsoftClaims }
    const idToken = await new SignJWT({ nonce: grant.nonce, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'JWT' })
      .setAudience(clientId)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey)
    return [
      200,
      {
        access_token: accessToken,
        expires_in: 3599,
        scope: 'openid profile email',
        token_type: 'Bearer',
        id_token: idToken,
        ...(tenant && {}),
      },
    ]
  }

  const providers: IdentityProviders = {
    github: { issuer: 'https://github.com', authorize: `${url}/github/authorize`, token: `${url}/github/token`, api: `${url}/github` },
    discord: { issuer: 'https://discord.com', authorize: `${url}/discord/authorize`, token: `${url}/discord/token`, api: `${url}/discord` },
    google: { discovery: `${url}/google/.well-known/openid-configuration` },
    microsoft: { discovery: `${url}/microsoft/{tenant}/v2.0/.well-known/openid-configuration` },
  }
  return { ...world, providers }
}

function basic(authorization: string): string[] {
  return Buffer.from(authorization.replace('Basic ', ''), 'base64')
    .toString()
    .split(':')
    .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
}

/**
 * https://docs.github.com/en/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors;
 * RFC 6749, 5.2 for the others
 */
function refusedClient(provider: string): Reply {
  if (provider === 'github') {
    return [200, { error: 'incorrect_client_credentials', error_description: 'The client_id and/or client_secret passed are incorrect.' }]
  }
  return [401, { error: 'invalid_client', error_description: 'The provided client secret is invalid.' }]
}

function refusedCode(provider: string): Reply {
  if (provider === 'github') return [200, { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' }]
  return [400, { error: 'invalid_grant', error_description: 'Malformed auth code.' }]
}

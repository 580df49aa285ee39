import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { OAuth2Server } from 'oauth2-mock-server'
import type { SettingKey } from '../../../src/config/settings.ts'
import type { Provider } from '../../../src/oauth/limits.ts'
import { settingsCalls } from '../app/settings.ts'

interface Test {
  teardown(work: () => Promise<unknown>): void
}

export const clientId = 'razorbill'
export const clientSecret = 'a secret & more'
/** The headers of a browser's page request. */
const asPage = { accept: 'text/html,application/xhtml+xml' }

/** Turns a provider on, as an administrator does. */
export async function switchOn(
  app: FastifyInstance,
  admin: Record<string, string>,
  provider: Provider,
  more: Record<string, unknown> = {},
) {
  const values = { clientId, clientSecret, ...more, enabled: true }
  const changes = Object.entries(values).map(([name, value]) => ({ key: `oauth.${provider}-${name}` as SettingKey, value }))
  await settingsCalls(app, admin).set(...changes)
}

type Cookies = Record<string, string>

/** The cookies of a browser after a response. */
export function keep(cookies: Cookies, answer: LightMyRequestResponse): Cookies {
  const now = { ...cookies }
  for (const { name, value, maxAge, expires } of answer.cookies) {
    if (maxAge === 0 || (expires && expires.getTime() <= 0)) delete now[name]
    else now[name] = value
  }
  return now
}

const cookieHeader = (cookies: Cookies) =>
  Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')

/** A browser's round trip to a provider and back. */
export function browserOf(app: FastifyInstance, from: Cookies = {}) {
  const browser = {
    cookies: from,
    address: '192.0.2.1',
    /** The text typed on the page before the click. */
    setupCode: '',
    async go(url: string, headers: Record<string, string> = {}, at = app) {
      const sent = { ...asPage, cookie: cookieHeader(browser.cookies), ...headers }
      const answer = await at.inject({ url, headers: sent, remoteAddress: browser.address })
      browser.cookies = keep(browser.cookies, answer)
      return answer
    },
    /**
     * Clicks a provider's button, to sign in or on the account page. Returns where the browser is
     * sent.
     */
    async start(provider: Provider, redirect?: string) {
      if (browser.cookies.access_token) return browser.link(provider)
      const { setupCode } = browser
      const query = new URLSearchParams({ ...(redirect !== undefined && { redirect }), ...(setupCode && { setupCode }) })
      return String((await browser.go(`/api/oauth/auth/${provider}?${query}`)).headers.location)
    },
    async link(provider: Provider): Promise<string> {
      const answer = await browser.post(`oauth/link/${provider}`)
      browser.cookies = keep(browser.cookies, answer)
      return answer.json().url
    },
    /** The path and query of the provider's callback, without user interaction. */
    async answered(authorize: string) {
      const back = await fetch(authorize, { redirect: 'manual' })
      const { pathname, search } = new URL(back.headers.get('location')!)
      return pathname + search
    },
    /** Follows the whole flow. Returns the final address. */
    async signIn(provider: Provider, redirect?: string) {
      const answer = await browser.go(await browser.answered(await browser.start(provider, redirect)))
      return String(answer.headers.location)
    },
    async me() {
      return (await app.inject({ url: '/api/users/me', headers: { cookie: cookieHeader(browser.cookies) } })).json()
    },
    async post(path: string, payload: object = {}) {
      return app.inject({ method: 'POST', url: `/api/${path}`, headers: { cookie: cookieHeader(browser.cookies) }, payload })
    },
    async status() {
      return (await app.inject({ url: '/api/oauth/status', headers: { cookie: cookieHeader(browser.cookies) } })).json()
    },
  }
  return browser
}

/** The cookies of a user who signed up by password. */
export function cookiesOf(headers: { cookie: string }): Cookies {
  return Object.fromEntries(headers.cookie.split('; ').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

/** The key of an error page's address, or undefined for another page. */
export const errorIn = (location: string) =>
  location.startsWith('/error?') ? new URLSearchParams(location.slice(7)).get('error') : undefined

/**
 * An OpenID Connect server with scripted responses. By default each call of `person` is a new user.
 */
export async function oddProvider(t: Test) {
  const server = new OAuth2Server()
  await server.issuer.keys.generate('RS256')
  await server.start(0, '127.0.0.1')
  server.issuer.url = `http://127.0.0.1:${server.address().port}`
  t.teardown(() => server.stop())
  const odd = {
    server,
    issuer: server.issuer.url,
    discoveryUri: `${server.issuer.url}/.well-known/openid-configuration`,
    /**
     * The claims of the current user, beside the mock's defaults. Null stays null, undefined
     * removes a claim.
     */
    claims: {} as Record<string, unknown>,
    /** The claims of the next users who sign in, in order. */
    next: [] as Record<string, unknown>[],
    userinfo: {} as Record<string, unknown>,
    /** Userinfo's response in place of claims. */
    userinfoReply: null as { statusCode: number; body: Record<string, unknown> } | null,
    description: {} as Record<string, unknown>,
    /** The token endpoint's response in place of tokens. */
    refusal: null as { statusCode: number; body: Record<string, unknown> } | null,
    token: {} as Record<string, unknown>,
  }
  const { service } = server
  service.on('beforeTokenSigning', ({ payload }: { payload: Record<string, unknown> }) => {
    if ('aud' in payload) Object.assign(payload, odd.next.shift() ?? odd.claims)
  })
  service.on('beforeUserinfo', (response: { statusCode: number; body: Record<string, unknown> }) => {
    Object.assign(response.body, odd.claims.sub !== undefined && { sub: odd.claims.sub }, odd.userinfo)
    Object.assign(response, odd.userinfoReply)
  })
  service.on('beforeWellKnownOpenIdConfiguration', ({ body }: { body: Record<string, unknown> }) => Object.assign(body, odd.description))
  service.on('beforeResponse', (response: { statusCode: number; body: Record<string, unknown> }) => {
    Object.assign(response, odd.refusal)
    Object.assign(response.body, odd.token)
  })
  return odd
}

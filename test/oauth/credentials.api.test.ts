import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { settingsCalls } from '../support/app/settings.ts'
import { oddProvider, switchOn } from '../support/oauth/social.ts'
import { signUp } from '../support/people/people.ts'
import { set } from '../support/sharing.ts'

const log = keptLog()
const { app, ctx } = await testApp(t, { log })
const root = await signUp(app, 'root')
const settings = settingsCalls(app, root)
const odd = await oddProvider(t)
await switchOn(app, root, 'oidc', { discoveryUri: odd.discoveryUri })
const wrong = ['sécret-of-the-client', 'secret\u200b-of-the-client']

t.test('rejects an impossible client ID or secret on saving', async (t) => {
  for (const provider of ['github', 'google', 'microsoft', 'discord', 'oidc']) {
    for (const [field, value] of ['clientId', 'clientSecret'].flatMap((name) => wrong.map((text) => [name, text] as const))) {
      const key = `oauth.${provider}-${field}`
      const answer = await settings.patch([{ key, value }])
      t.match(answer.json(), { statusCode: 400, error: 'config_invalid', key, reason: 'not_ascii' }, key)
    }
  }
})

t.test('rejects a stored credential as a failed sign-in and keeps it out of the log', async (t) => {
  log.lines.length = 0
  for (const value of wrong) {
    for (const [key, stored] of [
      ['oauth.oidc-clientSecret', ctx.sealer.seal(value)],
      ['oauth.oidc-clientId', value],
    ] as const) {
      await set(ctx, key, stored)
      const answer = await app.inject('/api/oauth/auth/oidc')
      t.match(answer.json(), { statusCode: 502, error: 'provider_misconfigured' }, key)
      const page = await app.inject({ url: '/api/oauth/auth/oidc', headers: { accept: 'text/html' } })
      t.match(page.headers.location, '/error?error=provider_misconfigured', key)
      const test = await app.inject({ method: 'POST', url: '/api/oauth/test/oidc', headers: root })
      t.match(test.json(), { statusCode: 400, error: 'provider_failed' })
    }
    await set(ctx, 'oauth.oidc-clientId', 'a client')
  }
  t.equal((await app.inject('/api/health')).statusCode, 200)
  const text = JSON.stringify(log.lines, (_key, value) => (value instanceof Error ? `${value.stack} ${value.cause}` : value))
  for (const value of wrong) t.notMatch(text, value)
})

import t from 'tap'
import { storeSetting } from '../../src/config/queries.ts'
import { readSettings } from '../../src/config/service.ts'
import { type Definition, defaults, publicKeys, settings } from '../../src/config/settings.ts'
import { testApp } from '../support/app/app.ts'

const { app, ctx, database } = await testApp(t)
const other = await testApp(t, { database })
interface Variable {
  key: string
  value: string
  type: string
}
const configs = async (from = app): Promise<Variable[]> => (await from.inject('/api/configs')).json()

t.test('returns the public settings as text, with their types', async (t) => {
  const answer = await app.inject('/api/configs')
  t.equal(answer.statusCode, 200)
  t.same(
    answer.json().filter(({ key }: Variable) => ['general.appName', 'share.maxSize', 'share.allowRegistration'].includes(key)),
    [
      { key: 'general.appName', value: 'Razorbill', type: 'string' },
      { key: 'share.allowRegistration', value: 'true', type: 'boolean' },
      { key: 'share.maxSize', value: '1000000000000', type: 'number' },
    ],
  )
})

t.test('returns no other setting and no secret', async (t) => {
  t.same((await configs()).map(({ key }) => key).sort(), [...publicKeys].sort())
  for (const [key, definition] of Object.entries(settings) as [string, Definition][]) {
    t.notOk(definition.public && definition.secret, `${key} is not both public and secret`)
  }
  t.notOk((await configs()).some(({ key }) => key === 'general.sessionDuration'))
})

t.test('applies a change to the next request, at every replica', async (t) => {
  await storeSetting(ctx.db, 'general.appName', '"quoted" & <b>', ctx.now())
  await storeSetting(ctx.db, 'share.maxSize', 5, ctx.now())
  await storeSetting(ctx.db, 'share.maxSize', 6, ctx.now())
  await storeSetting(ctx.db, 'general.showHomePage', false, ctx.now())
  for (const replica of [app, other.app]) {
    const values = Object.fromEntries((await configs(replica)).map(({ key, value }) => [key, value]))
    t.match(values, { 'general.appName': '"quoted" & <b>', 'share.maxSize': '6', 'general.showHomePage': 'false' })
  }
  t.same(await readSettings(ctx), {
    ...defaults(),
    'general.appName': '"quoted" & <b>',
    'share.maxSize': 6,
    'general.showHomePage': false,
  })
})

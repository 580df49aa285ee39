import t from 'tap'
import { readSecret, readSettings } from '../../src/config/service.ts'
import {
  allDefaults,
  type Definition,
  isSecret,
  publicKeys,
  type SettingKey,
  settingKeys,
  settings,
  typeOf,
} from '../../src/config/settings.ts'
import { testApp } from '../support/app/app.ts'
import { both, prerequisites, type Shown, settingsCalls } from '../support/app/settings.ts'
import { signUp } from '../support/people/people.ts'
import { refusal } from '../support/sharing.ts'

t.setTimeout(120_000)
const { app, ctx, database } = await testApp(t)
const other = await testApp(t, { database })
const admin = await signUp(app, 'admin')
await ctx.db.updateTable('user').set({ totpVerified: true }).execute() // for general.requireAdminSecondFactor
const calls = settingsCalls(app, admin)
const inForce = (key: SettingKey) =>
  isSecret(key) ? readSecret(ctx, key) : readSettings(ctx).then((all) => (all as Record<string, unknown>)[key])
const clear = () => ctx.db.deleteFrom('setting').execute()
const definitionOf = (key: SettingKey): Definition => settings[key]
const editable = settingKeys.filter((key) => !definitionOf(key).internal && !definitionOf(key).ownCall)

/**
 * Two valid values that differ from the default, and from each other if the type has enough values.
 * They include the bounds.
 */
function goodValues(key: SettingKey): (string | number | boolean)[] {
  const { default: initial, minimum = 0, maximum = 1000, format, choices } = definitionOf(key)
  if (typeof initial === 'boolean') return [!initial, initial]
  if (typeof initial === 'number') return [minimum, maximum]
  if (choices) return [...choices]
  if (format === 'url') return ['https://files.example.com', 'http://192.0.2.7:8080/x']
  if (format === 'site') return ['https://files.example.com', 'http://192.0.2.7:8080']
  if (format === 'email') return ['ann@example.com', 'zoë@exämple.com']
  if (format === 'host') return ['mail.example.com', '::1', 'localhost']
  if (format === 'tenant') return ['organizations', '8c5b7a1e-0000-4000-8000-000000000000']
  if (format === 'expiration') return ['never', '1-minute', '30-days']
  if (format === 'color') return ['#4940de', '#00FF7f']
  if (format === 'ascii') return ['x', 'A-z 0.9~ "quoted" <b> & \\ {url}']
  return ['x', 'ünï "quoted" <b> & \\ {url} 👩‍🚀']
}

/** Values of the right type that break a rule, by the reason in the response. */
function badValues(key: SettingKey): [value: unknown, reason: string][] {
  const { default: initial, minimum, maximum, maxLength, multiline, format, choices } = definitionOf(key)
  if (typeof initial === 'boolean') return []
  if (typeof initial === 'number') {
    return [
      [1.5 + minimum!, 'not_whole'],
      [minimum! - 1, 'too_small'],
      ...(maximum! < Number.MAX_SAFE_INTEGER ? ([[maximum! + 1, 'too_large']] as [unknown, string][]) : []),
      [1e300, 'not_whole'],
    ]
  }
  const bad: [unknown, string][] = [
    ['x'.repeat(maxLength === undefined ? 101 : maxLength + 1), maxLength === undefined ? 'not_a_choice' : 'too_long'],
    ['a\0b', 'not_one_line'],
  ]
  if (!multiline) bad.push(['a\r\nBcc:', 'not_one_line'], ['a\u2028b', 'not_one_line'])
  if (choices) bad.push(['AUTO', 'not_a_choice'])
  const wrong: Record<string, string[]> = {
    site: ['files.example.com', 'ftp://x.example', 'https://x.example/files', 'https://x.example/?q=1'],
    url: [
      'files.example.com',
      'ftp://x.example',
      'javascript:alert(1)',
      'https://',
      'https://a b.example',
      'https://u:p@x.example',
      '//x.example',
      'https://x.example/?q=1',
    ],
    email: ['ann', 'ann@', 'Ann <ann@example.com>', 'a@b.example, c@d.example'],
    host: ['mail example', 'https://mail.example.com', 'mail.example.com:25', 'a/b', '-a'],
    tenant: ['a/b', '../x', 'a b'],
    ascii: ['ünï', '👩‍🚀'],
    color: ['red', '4940de', '#fff', '#12345g'],
    expiration: ['7', '7 days', 'soon', '0-days', '-1-days', '7-fortnights', '101-years', '999999-years'],
  }
  for (const value of format ? wrong[format]! : []) bad.push([value, `not_${format}`])
  return bad
}

/**
 * Changes a setting. Returns the response, and the value as it is stored, shown by both servers and
 * published.
 */
async function changed(key: SettingKey, value: string | number | boolean) {
  const response = await calls.patch([{ key, value }])
  return {
    status: response.statusCode,
    returned: response.json()[0],
    shown: [await settingsCalls(app, admin).shown(key), await settingsCalls(other.app, admin).shown(key)],
    exact: {
      inForce: await inForce(key),
      published: (await other.app.inject('/api/configs')).json().find((variable: Shown) => variable.key === key),
    },
  }
}

t.test('round-trips, bounds, type-checks and resets every setting', async (t) => {
  for (const key of editable) {
    await t.test(key, async (t) => {
      await clear()
      if (prerequisites[key]) await calls.set(...prerequisites[key])
      if (prerequisites[key] !== both)
        t.match(await calls.shown(key), { isSet: false, updatedAt: null, allowEdit: true, type: typeOf(key) })
      for (const value of goodValues(key)) {
        const text = isSecret(key) ? '' : String(value)
        const shown = { key, value: text, isSet: true, updatedAt: /Z$/ }
        const published = publicKeys.includes(key as never) ? { key, value: text, type: typeOf(key) } : undefined
        const { exact, ...responses } = await changed(key, value)
        t.match(responses, { status: 200, returned: { key, value: text }, shown: [shown, shown] })
        t.same(exact, { inForce: value, published })
      }
      const before = await inForce(key)
      const wrongTypes = [1, true, 'x', {}, [1]].filter((value) => typeof value !== typeof definitionOf(key).default)
      const cases = [...wrongTypes.map((value) => [value, 'wrong_type'] as const), ...badValues(key)]
      const refusals = []
      for (const [value] of cases) {
        const response = await calls.patch([{ key, value }])
        const { key: named, reason, message } = response.json()
        refusals.push([value, ...refusal(response), named, reason, message.includes(key)])
      }
      t.same(
        refusals,
        cases.map(([value, reason]) => [value, 400, 'config_invalid', key, reason, true]),
      )
      t.equal(await inForce(key), before, 'a refusal changes nothing')
      await calls.set(
        { key, value: '' },
        ...(key === 'smtp.password' ? [{ key: 'smtp.username', value: '' }] : []),
        ...(key === 'smtp.username' ? [{ key: 'smtp.password', value: '' }] : []),
      )
      t.equal(await inForce(key), allDefaults()[key])
      t.match(await calls.shown(key), { isSet: false, updatedAt: null })
    })
  }
})

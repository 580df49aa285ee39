import t from 'tap'
import { readFixedSettings, variableOf } from '../../src/config/environment.ts'
import { storeSetting } from '../../src/config/queries.ts'
import { readSecret, readSettings } from '../../src/config/service.ts'
import { isSecret, type SettingKey, settingKeys } from '../../src/config/settings.ts'
import { createSealer } from '../../src/crypto/sealed.ts'
import { EnvError, readEnv } from '../../src/env.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { both, type Change, prerequisites, type Shown, settingsCalls } from '../support/app/settings.ts'
import { signUp } from '../support/people/people.ts'
import { refusal } from '../support/sharing.ts'

const { app, ctx, database } = await testApp(t)
const other = await testApp(t, { database })
const admin = await signUp(app, 'admin')
const calls = settingsCalls(app, admin)
const inForce = (key: SettingKey) =>
  isSecret(key) ? readSecret(ctx, key) : readSettings(ctx).then((all) => (all as Record<string, unknown>)[key])
const clear = () => ctx.db.deleteFrom('setting').execute()
const user = await signUp(app, 'user')
const { patch, list } = calls
const set = calls.set.bind(calls)
const shown = calls.shown.bind(calls)

t.test('distinguishes false, 0 and the explicit default from an unset value', async (t) => {
  await clear()
  await set(
    { key: 'general.showHomePage', value: false },
    { key: 'share.zipCompressionLevel', value: 0 },
    { key: 'general.appName', value: 'Razorbill' },
  )
  for (const [key, value] of Object.entries({
    'general.showHomePage': 'false',
    'share.zipCompressionLevel': '0',
    'general.appName': 'Razorbill',
  })) {
    t.match(await shown(key), { value, isSet: true })
  }
  await set({ key: 'general.showHomePage', value: null })
  t.match(await shown('general.showHomePage'), { value: 'true', isSet: false })
  await set({ key: 'general.appName', value: '   ' })
  t.match(await shown('general.appName'), { value: 'Razorbill', isSet: false }, 'only spaces count as empty')
  await set({ key: 'general.appUrl', value: ' https://files.example.com/// ' })
  t.match(await shown('general.appUrl'), { value: 'https://files.example.com' })
})

t.test('reads values in the type in which they are changed', async (t) => {
  await clear()
  const values = { 'general.appName': 'Auk', 'share.allowRegistration': false, 'share.maxSize': 5_000_000 }
  const changes = Object.entries(values).map(([key, value]) => ({ key, value }))
  const changed = await patch({ changes })
  t.match(changed.json(), changes)
  const variables: { key: string; value: unknown; secret: boolean; allowEdit: boolean }[] = (await calls.all()).json()
  const visible = settingKeys.filter((key) => key !== 'general.setupFinished')
  t.same(
    variables.map(({ key }) => key),
    visible,
  )
  t.match(
    variables.filter(({ key }) => key in values),
    changes,
  )
  const again = variables.filter(({ secret, allowEdit }) => allowEdit && !secret).map(({ key, value }) => ({ key, value }))
  t.same((await patch({ changes: again })).statusCode, 200)
  t.match(await readSettings(ctx), values)
  t.same((await app.inject('/api/configs/admin')).statusCode, 401)
  t.same((await settingsCalls(app, user).all()).statusCode, 403)
})

t.test('accepts and returns text in a bare list, and only the right type otherwise', async (t) => {
  await clear()
  const texts = [
    { key: 'share.maxExpiration', value: '168' },
    { key: 'general.showHomePage', value: 'false' },
    { key: 'general.appName', value: '42' },
  ]
  t.match((await patch(texts)).json(), texts)
  t.match(await readSettings(ctx), { 'share.maxExpiration': 168, 'general.showHomePage': false, 'general.appName': '42' })
  const listed = (await list('share')).json().filter(({ key }: Shown) => key === 'share.maxExpiration')
  t.equal((await patch(listed.map(({ key, value }: Shown) => ({ key, value })))).statusCode, 200, 'what a category lists')
  for (const { key, value } of texts.slice(0, 2)) {
    t.match((await patch({ changes: [{ key, value }] })).json(), { error: 'config_invalid', key, reason: 'wrong_type' })
  }
  for (const value of ['1e3', '0x10', ' ', 'yes', 'NaN', []]) {
    t.match(
      (await patch([{ key: 'share.maxExpiration', value }])).json(),
      { key: 'share.maxExpiration', reason: 'wrong_type' },
      String(value),
    )
  }
  for (const changes of [[{ key: 'share.maxExpiration', value: null }], { changes: [{ key: 'general.showHomePage', value: null }] }]) {
    t.equal((await patch(changes)).statusCode, 200)
  }
  t.match(await readSettings(ctx), { 'share.maxExpiration': 0, 'general.showHomePage': true }, 'null resets')
})

t.test('applies all changes or none', async (t) => {
  await clear()
  const good = { key: 'general.appName', value: 'Changed' }
  for (const bad of [
    { key: 'general.nothing', value: 1 },
    { key: 'share.maxSize', value: 'big' },
    { key: 'smtp.enabled', value: true },
    { key: 'general.appName', value: 'Again' },
    { key: 'general.setupFinished', value: true },
    { key: '__proto__', value: 1 },
    { key: 'toString', value: 1 },
  ]) {
    const answer = await patch([good, bad])
    t.ok(answer.statusCode === 400 || answer.statusCode === 404, JSON.stringify(bad))
    t.equal(answer.json().key, bad.key)
    t.equal(await inForce('general.appName'), 'Razorbill')
  }
  t.same(refusal(await patch([{ key: 'general.nothing', value: 1 }])), [404, 'config_not_found'])
  for (const body of [{}, [{ key: 1, value: 1 }], [{ key: 'a' }], [null]]) {
    t.same(refusal(await patch(body)), [400, 'validation_failed'], JSON.stringify(body))
  }
  t.equal((await patch([])).statusCode, 200)
  t.same(refusal(await list('nothing')), [404, 'config_not_found'])
})

t.test('lets each of many concurrent changes see the result of the previous one', async (t) => {
  await clear()
  await set(...prerequisites['smtp.enabled']!)
  const answers = await Promise.all([
    patch([{ key: 'smtp.enabled', value: true }]),
    patch([{ key: 'smtp.host', value: '' }]),
    settingsCalls(other.app, admin).patch([{ key: 'smtp.enabled', value: true }]),
    settingsCalls(other.app, admin).patch([{ key: 'smtp.port', value: 0 }]),
  ])
  const { 'smtp.enabled': on, 'smtp.host': host, 'smtp.port': port } = await readSettings(ctx)
  t.ok(!on || (host && port), `enabled: ${on}, ${host}:${port}, ${answers.map(({ statusCode }) => statusCode)}`)
})

t.test('validates settings that depend on each other', async (t) => {
  const rules: [name: string, before: Change[], change: Change[], key: string, reason: string][] = []
  const refused = (name: string, before: Change[], change: Change[], key: string, reason: string) =>
    rules.push([name, before, change, key, reason])
  const mail = prerequisites['smtp.enabled']!
  for (const missing of mail) {
    refused(
      `no e-mail without ${missing.key}`,
      mail.filter((one) => one !== missing),
      [{ key: 'smtp.enabled', value: true }],
      'smtp.enabled',
      'incomplete',
    )
    refused(
      `${missing.key} stays while e-mail is on`,
      [...mail, { key: 'smtp.enabled', value: true }],
      [{ key: missing.key, value: '' }],
      missing.key,
      'needed',
    )
  }
  refused('a username needs a password', [], [{ key: 'smtp.username', value: 'u' }], 'smtp.username', 'incomplete')
  refused('a password needs a username', [], [{ key: 'smtp.password', value: 'p' }], 'smtp.password', 'incomplete')
  refused('both go together', [...both], [{ key: 'smtp.password', value: '' }], 'smtp.password', 'needed')
  refused(
    'no recipients without e-mail',
    [],
    [{ key: 'email.enableShareEmailRecipients', value: true }],
    'email.enableShareEmailRecipients',
    'incomplete',
  )
  refused(
    'e-mail stays while there are recipients',
    [...prerequisites['email.enableShareEmailRecipients']!, { key: 'email.enableShareEmailRecipients', value: true }],
    [{ key: 'smtp.enabled', value: false }],
    'smtp.enabled',
    'needed',
  )
  for (const name of ['github', 'google', 'microsoft', 'discord', 'oidc'] as const) {
    const on = { key: `oauth.${name}-enabled`, value: true }
    const needed = prerequisites[on.key as SettingKey]!.filter(({ key }) => key !== 'oauth.oidc-clientSecret') // public clients have none
    for (const missing of needed) {
      refused(
        `no ${name} without ${missing.key}`,
        needed.filter((one) => one !== missing),
        [on],
        on.key,
        'incomplete',
      )
      refused(`${missing.key} stays while ${name} is on`, [...needed, on], [{ key: missing.key, value: '' }], missing.key, 'needed')
    }
  }
  refused(
    'a password must do when nothing else does',
    [],
    [{ key: 'oauth.disablePassword', value: true }],
    'oauth.disablePassword',
    'no_other_sign_in',
  )
  refused(
    'the last provider stays when passwords are off',
    [...prerequisites['oauth.disablePassword']!, { key: 'oauth.disablePassword', value: true }],
    [{ key: 'oauth.github-enabled', value: false }],
    'oauth.github-enabled',
    'no_other_sign_in',
  )
  refused(
    'the default lies within the maximum',
    [{ key: 'share.maxExpiration', value: 24 }],
    [{ key: 'share.defaultExpiration', value: '2-days' }],
    'share.defaultExpiration',
    'exceeds_maximum',
  )
  refused(
    'and is not "never" then',
    [{ key: 'share.maxExpiration', value: 24 }],
    [{ key: 'share.defaultExpiration', value: 'never' }],
    'share.defaultExpiration',
    'exceeds_maximum',
  )
  refused(
    'the maximum is not below a chosen default',
    [{ key: 'share.defaultExpiration', value: '1-month' }],
    [{ key: 'share.maxExpiration', value: 24 }],
    'share.maxExpiration',
    'below_default',
  )
  const refusals = []
  for (const [name, before, change, key] of rules) {
    await clear()
    if (before.length > 0) await set(...before)
    const answer = await patch(change)
    const atOnce = [...change, ...before].filter((one, at, all) => all.findIndex((other) => other.key === one.key) === at)
    const statusAtOnce = key === 'general.appUrl' ? 400 : (await patch(atOnce)).statusCode
    refusals.push([name, ...refusal(answer), answer.json().key, answer.json().reason, statusAtOnce])
  }
  t.same(
    refusals,
    rules.map(([name, , , key, reason]) => [name, 400, 'config_invalid', key, reason, 400]),
  )
  await clear()
  await set({ key: 'share.maxExpiration', value: 24 })
  t.match(await readSettings(ctx), { 'share.maxExpiration': 24 }, 'the default is lowered when used, and does not block the change')
})

t.test('never sets the application URL by itself when email is turned on', async (t) => {
  await clear()
  const withoutUrl = prerequisites['smtp.enabled']!.filter(({ key }) => key !== 'general.appUrl')
  const answer = await patch([...withoutUrl, { key: 'smtp.enabled', value: true }])
  t.match(answer.json(), { error: 'config_invalid', key: 'smtp.enabled', reason: 'incomplete', needs: 'general.appUrl' })
  t.equal(await inForce('general.appUrl'), '')
})

t.test('seals secrets, never returns them, keeps them when omitted, and loses them with their key', async (t) => {
  await clear()
  const secret = 'correct-horse-battery-staple'
  await set({ key: 'smtp.username', value: 'u' }, { key: 'smtp.password', value: secret })
  const rows = JSON.stringify(await ctx.db.selectFrom('setting').selectAll().execute())
  t.notMatch(rows, secret)
  const answers = [await list('smtp'), await patch([{ key: 'smtp.username', value: 'v' }]), await app.inject('/api/configs')]
  for (const { body } of answers) t.notMatch(body, secret)
  t.notMatch(answers[0]!.body, /v1\./, 'not in sealed form either')
  t.match(await shown('smtp.password'), { value: '', secret: true, obscured: true, isSet: true })
  t.equal(await inForce('smtp.password'), secret, 'still there after another change')
  const log = keptLog()
  const moved = await testApp(t, {
    database,
    log,
    sealer: createSealer('another secret key of 32 characters'),
  })
  t.match(await settingsCalls(moved.app, admin).patch([]), { statusCode: 401 }, 'its tokens change too')
  t.equal(await readSecret(moved.ctx, 'smtp.password'), '')
  t.match(
    log.lines.filter(({ level }) => level === 'error'),
    [{ details: { key: 'smtp.password' } }],
  )
  await set({ key: 'smtp.password', value: ' spaces stay ' })
  t.equal(await inForce('smtp.password'), ' spaces stay ')
})

t.test('refuses everyone but administrators', async (t) => {
  const requests = [
    { method: 'GET', url: '/api/configs/admin/smtp' },
    { method: 'GET', url: '/api/configs/admin/nothing' },
    { method: 'PATCH', url: '/api/configs/admin', payload: [{ key: 'general.appName', value: 'Mine' }] },
    { method: 'PATCH', url: '/api/configs/admin', payload: { nonsense: true } },
    { method: 'POST', url: '/api/configs/admin/finishSetup' },
    { method: 'POST', url: '/api/configs/admin/testEmail', payload: { email: 'a@example.com' } },
    { method: 'POST', url: '/api/configs/admin/testEmail', payload: { email: 'nonsense' } },
    { method: 'POST', url: '/api/configs/admin/logo', headers: { 'content-type': 'multipart/form-data; boundary=x' }, payload: '--x--' },
  ] as const
  for (const { headers = {}, ...call } of requests as readonly { method: 'GET'; url: string; payload?: object; headers?: object }[]) {
    for (const [who, status, code] of [
      [{}, 401, 'unauthorized'],
      [user, 403, 'forbidden'],
    ] as const) {
      const answer = await app.inject({ ...call, headers: { ...headers, ...who } })
      const expected = [status, code, ['error', 'message', 'statusCode']]
      t.same([...refusal(answer), Object.keys(answer.json()).sort()], expected, `${call.method} ${call.url}`)
    }
  }
  t.equal(await inForce('general.appName'), 'Razorbill')
})

t.test('finishes the setup only once', async (t) => {
  await clear()
  const finish = () => app.inject({ method: 'POST', url: '/api/configs/admin/finishSetup', headers: admin })
  const isFinished = async () => (await readSettings(ctx))['general.setupFinished']
  t.equal(await isFinished(), false)
  const codes = (await Promise.all([finish(), finish(), finish()])).map(({ statusCode }) => statusCode).sort()
  t.same(codes, [200, 403, 403])
  t.equal(await isFinished(), true)
  t.same(refusal(await finish()), [403, 'setup_finished'])
  for (const value of [false, '', null]) t.same(refusal(await patch([{ key: 'general.setupFinished', value }])), [404, 'config_not_found'])
  t.notOk((await list('general')).json().some(({ key }: Shown) => key === 'general.setupFinished'))
  t.equal(await isFinished(), true)
})

t.test('refuses changes to settings fixed by the environment', async (t) => {
  await clear()
  await storeSetting(ctx.db, 'share.maxSize', 7, ctx.now())
  const env = readEnv({
    RAZORBILL_SHARE_MAX_SIZE: '5000000',
    RAZORBILL_GENERAL_SHOW_HOME_PAGE: 'false',
    RAZORBILL_GENERAL_APP_NAME: ' "Ours" ',
    RAZORBILL_SMTP_PASSWORD: ' secret ',
    RAZORBILL_SMTP_USERNAME: '',
    APP_URL: 'https://files.example.com/',
  })
  const fixed = await testApp(t, { database, env: { settings: env.settings, appUrl: env.appUrl } })
  const theirs = settingsCalls(fixed.app, admin)
  t.match(await readSettings(fixed.ctx), {
    'share.maxSize': 5_000_000,
    'general.showHomePage': false,
    'general.appName': '"Ours"',
    'general.appUrl': 'https://files.example.com',
  })
  t.equal(await readSecret(fixed.ctx, 'smtp.password'), ' secret ')
  t.match(await theirs.shown('share.maxSize'), {
    value: '5000000',
    isSet: true,
    allowEdit: false,
    variable: 'RAZORBILL_SHARE_MAX_SIZE',
  })
  t.match(await theirs.shown('general.appUrl'), { value: 'https://files.example.com', allowEdit: false })
  t.match(await theirs.shown('smtp.password'), { value: '', isSet: true, allowEdit: false })
  t.match(await theirs.shown('smtp.username'), { allowEdit: true }, 'an empty variable counts as unset')
  for (const [key, value] of [
    ['share.maxSize', 9],
    ['share.maxSize', ''],
    ['general.appUrl', 'https://x.example'],
  ] as const) {
    const answer = await theirs.patch([{ key, value }])
    t.match(answer.json(), { statusCode: 400, error: 'config_invalid', key, reason: 'fixed' })
  }
  t.same(readFixedSettings({}, []), {})
})

t.test('names each invalid variable of the environment', async (t) => {
  const problemsOf = (variables: Record<string, string>) => {
    try {
      readEnv(variables)
      return []
    } catch (error) {
      if (error instanceof EnvError) return error.problems
      throw error
    }
  }
  t.same(
    problemsOf({
      RAZORBILL_SHARE_MAX_SIZE: '1GB',
      RAZORBILL_SHARE_ZIP_COMPRESSION_LEVEL: '10',
      RAZORBILL_GENERAL_SHOW_HOME_PAGE: 'yes',
      RAZORBILL_SMTP_TLS: 'ssl',
    }),
    [
      'RAZORBILL_GENERAL_SHOW_HOME_PAGE must be true or false.',
      'RAZORBILL_SHARE_MAX_SIZE must be a number.',
      'RAZORBILL_SHARE_ZIP_COMPRESSION_LEVEL must be at most 9.',
      'RAZORBILL_SMTP_TLS must be one of auto, starttls, implicit, none.',
    ],
  )
  t.match(problemsOf({ RAZORBILL_SMTP_ENABLED: 'true' }), [/APP_URL/])
  t.same(problemsOf({ RAZORBILL_SMTP_ENABLED: 'true', APP_URL: 'https://files.example.com' }), [])
  t.match(problemsOf({ RAZORBILL_GENERAL_APP_URL: 'https://files.example.com/files' }), [/without a path/])
  t.match(problemsOf({ APP_URL: 'https://a.example', RAZORBILL_GENERAL_APP_URL: 'https://b.example' }), [/APP_URL/])
  t.equal(new Set(settingKeys.map(variableOf)).size, settingKeys.length, 'each setting has a separate variable')
  t.equal(variableOf('oauth.oidc-discoveryUri'), 'RAZORBILL_OAUTH_OIDC_DISCOVERY_URI')
})

t.test('warns about an unknown variable and names the nearest known one', (t) => {
  const sentence = (name: string) => `${name} is not the variable of a setting and has no effect.`
  const { warnings } = readEnv({
    RAZORBILL_SHARE_MAXSIZE: '1',
    RAZORBILL_SMPT_HOST: 'mail.example.org',
    RAZORBILL_GENERAL_SETUP_FINISHED: 'true',
    RAZORBILL_SHARE_MAX_SIZE: '5',
    RAZORBILL_URL: 'https://files.example.org',
    RAZORBILL_TOKEN: 'token',
  })
  t.same(warnings, [
    sentence('RAZORBILL_GENERAL_SETUP_FINISHED'),
    `${sentence('RAZORBILL_SHARE_MAXSIZE')} Did you mean RAZORBILL_SHARE_MAX_SIZE?`,
    `${sentence('RAZORBILL_SMPT_HOST')} Did you mean RAZORBILL_SMTP_HOST?`,
  ])
  t.end()
})

t.test('ignores the variables that Kubernetes sets for Services, and names those that it would have read', (t) => {
  const env = readEnv({
    METRICS_PORT: 'tcp://10.0.0.8:9090',
    METRICS_SERVICE_HOST: '10.0.0.8',
    METRICS_PORT_9090_TCP_ADDR: '10.0.0.8',
    S3_PORT: 'tcp://10.0.0.9:3900',
    S3_SERVICE_HOST: '10.0.0.9',
    RAZORBILL_SMTP_PORT: 'tcp://10.0.0.7:25',
    RAZORBILL_PORT: 'tcp://10.0.0.1:80',
    RAZORBILL_SERVICE_HOST: '10.0.0.1',
    RAZORBILL_SHARE_SERVICE_PORT: '80',
    RAZORBILL_PORT_80_TCP: 'tcp://10.0.0.1:80',
  })
  t.match(env, { metricsPort: null, s3: null, settings: {} })
  t.equal(env.warnings.length, 1)
  for (const name of ['METRICS_PORT', 'S3_PORT', 'RAZORBILL_SMTP_PORT']) t.match(env.warnings[0], name)
  t.same(
    readEnv({ RAZORBILL_PORT: 'tcp://10.0.0.1:80', RAZORBILL_SERVICE_HOST: '10.0.0.1' }).warnings,
    [],
    'the Service of Razorbill itself',
  )
  t.end()
})

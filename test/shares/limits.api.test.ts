import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { settingsCalls } from '../support/app/settings.ts'
import { password, signUp } from '../support/people/people.ts'
import { ok, refusal, sharing } from '../support/sharing.ts'

// A setting changed on one replica applies to the next request on another.
const { app, ctx, database } = await testApp(t)
const { app: other } = await testApp(t, { database, storage: ctx.storage })
const admin = await signUp(app, 'admin')
const calls = settingsCalls(app, admin)
const set = calls.set.bind(calls)
const owner = sharing(other, await signUp(app, 'owner'))
const visitor = sharing(other)

const register = (username: string) =>
  other.inject({ method: 'POST', url: '/api/auth/signUp', payload: { username, email: `${username}@example.com`, password } })

t.test('limits registration', async (t) => {
  t.equal((await register('early')).statusCode, 201)
  await set({ key: 'share.allowRegistration', value: false })
  t.same(refusal(await register('late')), [403, 'registration_disabled'])
  await set({ key: 'share.allowRegistration', value: true })
  t.equal((await register('late')).statusCode, 201)
})

t.test('limits shares without an account', async (t) => {
  t.same(refusal(await visitor.create('mine')), [403, 'unauthenticated_shares_disabled'])
  await set({ key: 'share.allowUnauthenticatedShares', value: true })
  t.equal((await visitor.create('mine')).statusCode, 201)
  await set({ key: 'share.allowUnauthenticatedShares', value: '' })
  t.same(refusal(await visitor.create('another')), [403, 'unauthenticated_shares_disabled'])
})

t.test('limits the total size of a share', async (t) => {
  await set({ key: 'share.maxSize', value: 1000 })
  ok(await owner.create('size'))
  t.match((await owner.announce('size', 'big.bin', 1001)).json(), { statusCode: 413, error: 'share_too_large', max: 1000 })
  ok(await owner.announce('size', 'a.bin', 600))
  t.same(refusal(await owner.announce('size', 'b.bin', 401)), [413, 'share_too_large'])
  await set({ key: 'share.maxSize', value: 1001 })
  ok(await owner.announce('size', 'b.bin', 401))
  await set({ key: 'share.maxSize', value: null })
  ok(await owner.announce('size', 'c.bin', 10_000_000))
})

t.test('limits the expiration of a share in every unit', async (t) => {
  await set({ key: 'share.maxExpiration', value: 24 })
  for (const expiration of ['never', '25-hours', '2-days', '1-week', '1-month', '1-year', '1441-minutes']) {
    t.same(refusal(await owner.create(`e-${expiration}`, { expiration })), [400, 'expiration_exceeds_maximum'], expiration)
  }
  for (const expiration of ['24-hours', '1-day', '1440-minutes']) ok(await owner.create(`e-${expiration}`, { expiration }))
  const { expiration } = ok(await owner.create('usual', { expiration: undefined })).json()
  t.ok(new Date(expiration).getTime() <= Date.now() + 24 * 3_600_000, 'the default is shortened to the maximum')
  await set({ key: 'share.maxExpiration', value: 0 })
  ok(await owner.create('e-forever', { expiration: 'never' }))
})

t.test('sets the length of links', async (t) => {
  await set({ key: 'share.shareIdLength', value: 20 })
  const answer = await other.inject({ method: 'POST', url: '/api/shares', headers: admin, payload: { expiration: '1-day' } })
  t.equal(ok(answer).json().id.length, 20)
})

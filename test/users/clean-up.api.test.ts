import t from 'tap'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { storedFiles } from '../support/app/worker.ts'
import { callsOf, testClock } from '../support/calls.ts'
import { letMailsWait, linkTokenTo } from '../support/mails.ts'
import { password, signUp } from '../support/people/people.ts'
import { switchTotpOn } from '../support/people/totp.ts'
import { sharing } from '../support/sharing.ts'

const clock = testClock()
const { app, ctx } = await testApp(t, { now: clock.now })
await signUp(app, 'root')
const sweep = () => cleanUp(ctx, {}, new AbortController().signal)

t.test('deletes the bytes of a deleted account', async (t) => {
  const headers = await signUp(app, 'leaving')
  await sharing(app, headers).share('goodbye', { 'a.txt': 'a', 'b.txt': 'b' })
  await sharing(app, await signUp(app, 'staying')).share('hello', { 'c.txt': 'c' })
  t.equal((await storedFiles(ctx)).length, 3)
  t.equal((await callsOf(app, headers)('DELETE users/me')).statusCode, 204)
  await sweep()
  t.equal((await storedFiles(ctx)).length, 1)
})

t.test('deletes expired tokens and keeps current ones', async (t) => {
  await letMailsWait(ctx)
  const call = callsOf(app, await signUp(app, 'alice'))
  const visitor = callsOf(app)
  await switchTotpOn(call, clock.now())
  await visitor('POST auth/signIn', { username: 'alice', password })
  await visitor('POST auth/signIn/passkey/options')
  await visitor('POST auth/resetPassword/alice@example.com')
  await linkTokenTo(ctx, 'alice@example.com')
  const left = async () =>
    Promise.all(
      (['loginToken', 'passwordToken', 'passkeyChallenge'] as const).map(
        async (table) => (await ctx.db.selectFrom(table).selectAll().execute()).length,
      ),
    )
  await sweep()
  t.same(await left(), [1, 1, 1])
  clock.pass(3600)
  await sweep()
  t.same(await left(), [1, 0, 0], 'an expired login token stays, so that it is reported as expired')
  clock.pass(300)
  await sweep()
  t.same(await left(), [0, 0, 0])
})

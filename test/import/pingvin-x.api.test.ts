import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { callsOf } from '../support/calls.ts'
import { copyOfFixture, everything, runImport } from '../support/import-command.ts'
import { headersOf } from '../support/people/people.ts'
import { ok, refusal, sharing } from '../support/sharing.ts'

// test/fixtures/pingvin-share-x was written by Pingvin Share X 2.0.0-beta.0.

t.test('imports what Pingvin Share X has written, once', async (t) => {
  const app = await testApp(t)
  const words = ['pingvin', copyOfFixture(t, 'pingvin-share-x'), '--apply']
  const { code, output, errors } = await runImport(app, words)
  t.equal(code, 0, errors)
  t.match(output, /accounts +2 +0 +0\n/)
  t.match(output, /reverse shares +1 +0 +0\n/)
  t.match(output, /shares +3 +0 +1\n/)
  t.match(output, /shares: restricted: /)

  const visitor = sharing(app.app)
  t.match(refusal(await visitor.call('GET', '/secret')), [403, 'share_password_required'])
  ok(await visitor.call('POST', '/secret/token', { password: 'let me in' }))
  const opened = sharing(app.app, await visitor.unlock('holiday'))
  const holiday = ok(await opened.call('GET', '/holiday')).json()
  t.match(holiday, { name: 'Holiday', description: 'Look' })
  const contents = holiday.files.map(async ({ id, name }: { id: string; name: string }) => [
    name,
    (await opened.call('GET', `/holiday/files/${id}`)).body,
  ])
  t.same(Object.fromEntries(await Promise.all(contents)), { 'one.txt': 'one.txt of holiday', 'two.txt': 'two.txt of holiday' })

  const ann = await callsOf(app.app)('POST auth/signIn', { username: 'ann', password: 'penguins swim' })
  t.match((await callsOf(app.app, headersOf(ann))('GET users/me')).json(), { isAdmin: true, email: 'ann@example.com' })
  const sent = await app.ctx.db.selectFrom('share').select(['id', 'receiverId']).where('reverseShareId', 'is not', null).execute()
  t.match(sent, [{ id: 'sent', receiverId: String }])
  const reverse = await app.ctx.db.selectFrom('reverseShare').select(['token', 'maxUses', 'uses', 'name']).executeTakeFirstOrThrow()
  t.match(reverse, { token: '606840fe-58eb-4d60-9e7e-bb3a244305ae' })

  const after = await everything(app.ctx)
  t.equal((await runImport(app, words)).code, 0)
  t.same(await everything(app.ctx), after)
})

import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { signUp } from '../support/people/people.ts'
import { cookiesOf, ok, set, sharing } from '../support/sharing.ts'

const { app, ctx } = await testApp(t)
const files = { 'a.txt': 'a', 'b.txt': 'b' }

t.test('calls the zip of a share without a name by its creator', async (t) => {
  const alice = sharing(app, await signUp(app, 'alice'))
  const nameOf = async (id: string) => ok(await alice.call('GET', `/${id}/files/zip`)).headers['content-disposition']
  await alice.share('named', files, { name: 'Iceland' })
  await alice.share('unnamed', files)
  t.equal(await nameOf('named'), 'attachment; filename="Iceland.zip"')
  t.equal(await nameOf('unnamed'), 'attachment; filename="Files from alice.zip"')
  await set(ctx, 'share.allowUnauthenticatedShares', true)
  const guest = sharing(app, cookiesOf(ok(await sharing(app).create('guest'))))
  for (const [name, content] of Object.entries(files)) await guest.file('guest', name, content)
  ok(await guest.call('POST', '/guest/complete'))
  t.equal(await nameOf('guest'), 'attachment; filename="Shared files.zip"')
  await set(ctx, 'general.language', 'de-DE')
  t.equal(await nameOf('unnamed'), 'attachment; filename="Dateien von alice.zip"')
})

t.test('keeps what a share is, and names its first file to administrators', async (t) => {
  const root = sharing(app, await signUp(app, 'root'))
  ok(await root.create('text', { kind: 'text' }))
  await root.file('text', 'text.txt', 'Hello')
  ok(await root.call('POST', '/text/complete'))
  t.match(ok(await root.call('GET', '/text/from-owner')).json(), { kind: 'text' })
  t.match(ok(await root.call('GET', '')).json(), [{ id: 'text', kind: 'text', fileCount: 1 }])
  t.match(ok(await root.call('GET', '/text')).json(), { kind: 'text', files: [{ name: 'text.txt' }] })
  t.equal((await root.create('odd', { kind: 'odd' })).statusCode, 400)
  await ctx.db.updateTable('user').set({ isAdmin: true }).where('username', '=', 'root').execute()
  const all = ok(await root.call('GET', '/all?search=unnamed')).json()
  t.match(all, [{ id: 'unnamed', kind: 'files', firstFile: 'a.txt', fileCount: 2 }])
})

import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { signUp } from '../support/people/people.ts'
import { ok, refusal, sharing } from '../support/sharing.ts'

const MiB = 1_048_576
const { app, ctx } = await testApp(t)
const headers = await signUp(app, 'alice')
const alice = sharing(app, headers)
const bob = sharing(app, await signUp(app, 'bob'))
const list = async (who: Record<string, string> = headers) => app.inject({ method: 'GET', url: '/api/uploads', headers: who })

t.test('lists own shares whose upload is not finished, with what has arrived', async (t) => {
  ok(await alice.create('half', { name: 'Holiday' }))
  const big = ok(await alice.announce('half', 'b.bin', 20 * MiB)).json()
  ok(await alice.part('half', big.id, 1, Buffer.alloc(8 * MiB)))
  const small = ok(await alice.announce('half', 'a.txt', 3)).json()
  ok(await alice.part('half', small.id, 1, Buffer.from('abc')))
  ok(await alice.call('POST', `/half/files/${small.id}/complete`))
  for (const name of ['c', 'd', 'e']) ok(await alice.announce('half', name, 1))
  ok(await bob.create('bobs'))
  ok(await alice.create('empty'))
  const [empty, half, ...more] = (await list()).json()
  t.same(more, [], 'those of others are left out')
  t.match(half, {
    id: 'half',
    name: 'Holiday',
    fileCount: 5,
    completedFiles: 1,
    size: 20 * MiB + 6,
    uploaded: 8 * MiB + 3,
    names: ['a.txt', 'b.bin', 'c'],
  })
  t.equal(Date.parse(half.keptUntil) - Date.parse(half.activeAt), 86_400_000)
  t.match(empty, { id: 'empty', fileCount: 0, completedFiles: 0, size: 0, uploaded: 0, names: [] })
})

t.test('leaves out shares that are completed, edited or expired', async (t) => {
  ok(await alice.create('done'))
  const file = ok(await alice.announce('done', 'a', 0)).json()
  t.ok(file.id)
  ok(await alice.call('POST', '/done/complete'))
  ok(await alice.call('DELETE', '/done/complete'))
  ok(await alice.create('expired'))
  await ctx.db
    .updateTable('share')
    .set({ expiresAt: new Date(0) })
    .where('id', '=', 'expired')
    .execute()
  t.same(
    (await list()).json().map(({ id }: { id: string }) => id),
    ['empty', 'half'],
  )
})

t.test('the owner removes one, and only the owner', async (t) => {
  t.same(refusal(await bob.call('DELETE', '/half')), [404, 'share_not_found'])
  ok(await alice.call('DELETE', '/half'))
  t.same(
    (await list()).json().map(({ id }: { id: string }) => id),
    ['empty'],
  )
})

t.test('needs a session or a token that may read shares', async (t) => {
  t.same(refusal(await app.inject({ method: 'GET', url: '/api/uploads' })), [401, 'unauthorized'])
  const payload = { name: 'x', scopes: ['shares:write'] }
  const { token } = ok(await app.inject({ method: 'POST', url: '/api/auth/tokens', headers, payload })).json()
  t.same(refusal(await list({ authorization: `Bearer ${token}` })), [403, 'forbidden'])
})

import t from 'tap'
import { ensureFirstAdmin } from '../../src/auth/first-admin.ts'
import { EnvError } from '../../src/env.ts'
import { testApp } from '../support/app/app.ts'
import { signUp } from '../support/people/people.ts'

const admin = { username: 'root', email: 'root@example.com', password: 'from the environment' }

t.test('creates one administrator when replicas start together, and that user can sign in', async (t) => {
  const { app, ctx, database } = await testApp(t, { env: { admin } })
  const other = await testApp(t, { database, env: { admin } })
  const made = await Promise.all([ctx, other.ctx, ctx, other.ctx].map((replica) => ensureFirstAdmin(replica)))
  t.same(made.filter(Boolean), [true])
  const signIn = await app.inject({ method: 'POST', url: '/api/auth/signIn', payload: { email: admin.email, password: admin.password } })
  t.equal(signIn.statusCode, 200)
  t.match(await ctx.db.selectFrom('user').selectAll().execute(), [{ username: 'root', isAdmin: true }])
  t.equal(await ensureFirstAdmin(ctx), false, 'also not at the next start')
})

t.test('creates no administrator from the environment once an account exists', async (t) => {
  const { app, ctx } = await testApp(t, { env: { admin } })
  await signUp(app, 'alice')
  t.equal(await ensureFirstAdmin(ctx), false)
  t.match(await ctx.db.selectFrom('user').selectAll().execute(), [{ username: 'alice' }])
})

t.test('creates no administrator when the environment names none', async (t) => {
  const { ctx } = await testApp(t)
  t.equal(await ensureFirstAdmin(ctx), false)
  t.same(await ctx.db.selectFrom('user').selectAll().execute(), [])
})

t.test('reports every rule that the configured administrator breaks', async (t) => {
  const { ctx } = await testApp(t, { env: { admin: { username: 'a b', email: 'nowhere', password: '1234567' } } })
  const error = await ensureFirstAdmin(ctx).catch((error) => error)
  t.ok(error instanceof EnvError)
  t.match(error.problems, [/^ADMIN_USERNAME must/, /^ADMIN_EMAIL must/, /^ADMIN_PASSWORD must/])
  t.same(await ctx.db.selectFrom('user').selectAll().execute(), [])
})

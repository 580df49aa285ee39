import t from 'tap'
import { databaseUrlProblem, withoutTlsWarning } from '../../src/db/url.ts'
import { type EnvError, readEnv } from '../../src/env.ts'

t.test('detects passwords with unescaped characters', (t) => {
  const problem = (url: string) => databaseUrlProblem('DATABASE_URL', url)
  for (const url of [
    'postgres://u:p/w@host:5432/db',
    'postgres://u:12/w@host/db',
    'postgres://u:p#w@host/db',
    'postgres://u:1#w@host/db',
    'postgres://u:p?w@host/db',
    'postgres://u:1?w@host/db',
    'postgres://u:100%@host/db',
  ])
    t.match(problem(url), /^DATABASE_URL can't be read\. .* %23 for #\.$/, url)
  for (const url of [
    'postgres://u:p%40%3A%2F%23@host:5432/db',
    'postgresql://u@host/db?sslmode=verify-full&sslrootcert=/etc/ca.pem',
    'postgres:///db?host=/run/postgresql&user=a@b',
    'postgres://u:p@/db?host=/run/postgresql',
    'postgres://u:p@w:x@host/db', // read as intended
  ])
    t.equal(problem(url), null, url)
  t.match(problem('mysql://host/db'), /must be a URL that starts with/)
  t.match(problem('postgres://host/db?sslmode=requir'), /sslmode is "requir"; it must be one of disable, no-verify, /)
  t.end()
})

t.test('reports problems of both URLs and of the pool at start', (t) => {
  try {
    readEnv({ DATABASE_URL: 'postgres://u:p/w@host/db', DATABASE_DIRECT_URL: 'mysql://x', DATABASE_POOL: '4', SECRET_KEY: 'k'.repeat(32) })
    t.fail('accepted')
  } catch (error) {
    const { problems } = error as EnvError
    t.match(problems, [/^DATABASE_URL can't be read/, /^DATABASE_DIRECT_URL must be a URL/, /^DATABASE_POOL must be a whole number from 5/])
  }
  t.throws(() => readEnv({ DATABASE_DIRECT_URL: 'postgres://host/db' }), { message: /DATABASE_URL must be set together/ })
  t.end()
})

t.test('requires a verified certificate without a warning of pg', (t) => {
  for (const mode of ['prefer', 'require', 'verify-ca']) {
    t.equal(withoutTlsWarning(`postgres://host/db?sslmode=${mode}&x=1`), 'postgres://host/db?sslmode=verify-full&x=1')
  }
  for (const mode of ['disable', 'no-verify', 'verify-full']) {
    t.equal(withoutTlsWarning(`postgres://host/db?sslmode=${mode}`), `postgres://host/db?sslmode=${mode}`)
  }
  t.end()
})

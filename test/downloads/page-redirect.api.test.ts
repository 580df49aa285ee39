import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { signUp } from '../support/people/people.ts'
import { ok, refusal, sharing } from '../support/sharing.ts'

const { app } = await testApp(t)
const alice = sharing(app, await signUp(app, 'alice'))
const visitor = sharing(app)
const pasted = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
}
const [photo] = await alice.share('norway', { 'fjord.jpg': 'photo', 'b.txt': 'b' })
const [secret] = await alice.share('locked', { 'secret.txt': 'x' }, { security: { password: 'open it' } })

t.test('leads a browser from the address of a file to its page, also where a password is needed', async (t) => {
  for (const [id, file] of [
    ['norway', photo],
    ['locked', secret],
  ]) {
    for (const query of ['', '?download=false']) {
      const answer = await visitor.call('GET', `/${id}/files/${file}${query}`, undefined, pasted)
      t.match(answer, { statusCode: 302, headers: { location: `/share/${id}?preview=${file}`, 'cache-control': 'no-store' }, cookies: [] })
    }
    const zip = await visitor.call('GET', `/${id}/files/zip`, undefined, { ...pasted, 'sec-fetch-site': 'cross-site' })
    t.match(zip, { statusCode: 302, headers: { location: `/share/${id}` } })
    const folder = await visitor.call('GET', `/${id}/files/zip?folder=photos%2Ficeland`, undefined, pasted)
    t.match(folder, { statusCode: 302, headers: { location: `/share/${id}?folder=photos%2Ficeland` } })
  }
})

t.test('redirects without revealing whether the share or the file exists', async (t) => {
  const answer = await visitor.call('GET', '/nowhere/files/a%26b%23c', undefined, pasted)
  t.match(answer, { statusCode: 302, headers: { location: '/share/nowhere?preview=a%26b%23c' } })
  t.equal((await visitor.call('GET', '/%2F%2Fevil.example/files/zip', undefined, pasted)).headers.location, '/share/%2F%2Fevil.example')
})

t.test('sends the bytes to programs, to our own pages, and to everything that shows no page', async (t) => {
  const requests: Record<string, string>[] = [
    {},
    { accept: '*/*' },
    { accept: 'text/html' },
    { ...pasted, 'sec-fetch-site': 'same-origin' },
    { ...pasted, 'sec-fetch-dest': 'empty' },
    { ...pasted, 'sec-fetch-dest': 'iframe' },
    { ...pasted, 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' },
    { ...pasted, accept: '*/*' },
  ]
  for (const headers of requests) {
    const answer = await visitor.call('GET', `/norway/files/${photo}`, undefined, headers)
    t.same([answer.statusCode, answer.body], [200, 'photo'], JSON.stringify(headers))
  }
  const resumed = await visitor.call('GET', `/norway/files/${photo}`, undefined, { ...pasted, range: 'bytes=2-' })
  t.same([resumed.statusCode, resumed.body], [206, 'oto'], 'a browser resumes a download')
  t.same(refusal(await visitor.call('GET', `/locked/files/${secret}`, undefined, { accept: '*/*' })), [403, 'share_password_required'])
  t.equal(ok(await visitor.call('HEAD', `/norway/files/${photo}`, undefined, pasted)).headers['content-length'], '5')
})

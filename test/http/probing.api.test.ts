import t from 'tap'
import { probesOfAddress, probesOfUser } from '../../src/http/probes.ts'
import { consumeAttempt } from '../../src/http/rate-limit.ts'
import { testApp } from '../support/app/app.ts'
import { callsOf } from '../support/calls.ts'
import { headersOf, signUp } from '../support/people/people.ts'
import { refusal, sharing } from '../support/sharing.ts'

const { app, ctx } = await testApp(t)
const headers = await signUp(app, 'root')
const root = callsOf(app, headers)
const visitor = callsOf(app)
await sharing(app, headers).share('open', { 'a.txt': 'a' })
await root('POST reverseShares', { token: 'inbox' })

const addresses = { name: probesOfAddress.name, ...probesOfAddress.address }
let last = 0
/** A visitor from a new address with this many failed lookups. */
async function prober(probes: number) {
  const address = `198.51.${++last}.1`
  for (let n = 0; n < probes; n++) await consumeAttempt(ctx, addresses, address)
  return { address }
}
const refused = [429, 'too_many_requests']

for (const [what, miss] of Object.entries({
  'GET shares/nothing': 'share_not_found',
  'GET shares/nothing/metaData': 'share_not_found',
  'POST shares/nothing/token': 'share_not_found',
  'GET shares/nothing/files/zip': 'share_not_found',
  'GET shares/nothing/from-owner': 'unauthorized',
  'GET reverseShares/nothing': 'reverse_share_not_found',
})) {
  t.test(`${what} counts failed lookups`, async (t) => {
    const from = await prober(599)
    const ask = () => visitor(what, what.startsWith('POST') ? {} : undefined, from)
    t.same(refusal(await ask()), [miss === 'unauthorized' ? 401 : 404, miss])
    const answer = await ask()
    t.same(refusal(answer), refused)
    t.ok(Number(answer.headers['retry-after']) > 500)
  })
}

for (const what of ['GET shares/isShareIdAvailable/open', 'GET reverseShares/isReverseShareTokenAvailable/inbox']) {
  t.test(`${what} counts every lookup`, async (t) => {
    const from = await prober(599)
    t.same((await visitor(what, undefined, from)).json(), { isAvailable: false })
    t.same(refusal(await visitor(what, undefined, from)), refused)
  })
}

t.test('hides from a blocked prober which links exist', async (t) => {
  const from = await prober(600)
  t.same(refusal(await visitor('GET shares/nothing', undefined, from)), refused)
  t.same(refusal(await visitor('POST shares/open/token', {}, from)), refused)
  t.same(refusal(await visitor('GET reverseShares/inbox', undefined, from)), refused)
  t.equal((await visitor('POST shares/open/token', {}, await prober(0))).statusCode, 200, 'other users can')
  t.equal((await root('GET shares/open', undefined, from)).statusCode, 200, 'and a signed-in user there')
})

t.test('does not count links that are found, and keeps access that a visitor already has', async (t) => {
  const from = await prober(598)
  const unlocked = headersOf(await visitor('POST shares/open/token', {}, from))
  for (let n = 0; n < 5; n++) t.equal((await visitor('POST shares/open/token', {}, from)).statusCode, 200)
  t.equal((await visitor('GET shares/nothing', undefined, from)).statusCode, 404)
  for (let n = 0; n < 2; n++) await visitor('GET shares/nothing', undefined, from)
  t.equal((await visitor('GET shares/open', undefined, { ...from, headers: unlocked })).statusCode, 200)
})

t.test('counts ids that are taken, for shares and links', async (t) => {
  const bobHeaders = await signUp(app, 'bob')
  const bob = sharing(app, bobHeaders)
  await bob.share('of-bob', { 'a.txt': 'a' })
  await bob.call('POST', '/of-bob/links', { id: 'second' })
  const { id } = (await callsOf(app, bobHeaders)('GET users/me')).json()
  for (let n = 0; n < 597; n++) await consumeAttempt(ctx, probesOfUser, id)
  t.same(refusal(await bob.call('POST', '/of-bob/links', { id: 'open' })), [400, 'share_id_taken'])
  t.same(refusal(await bob.call('POST', '/of-bob/links/second/replace', { id: 'open' })), [400, 'share_id_taken'])
  t.same(refusal(await bob.create('open')), [400, 'share_id_taken'])
  t.same(refusal(await bob.create('open')), refused)
  t.same(refusal(await bob.create('free')), refused, 'a free id is not revealed either')
})

t.test('counts a signed-in user separately', async (t) => {
  const alice = callsOf(app, await signUp(app, 'alice'))
  const { id } = (await alice('GET users/me')).json()
  for (let n = 0; n < 600; n++) await consumeAttempt(ctx, probesOfUser, id)
  t.same(refusal(await alice('GET shares/nothing')), refused)
  t.equal((await visitor('GET shares/nothing')).statusCode, 404)
})

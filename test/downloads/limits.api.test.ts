import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { becomes, big, downloading, errorOf, path } from '../support/downloading.ts'
import { beginAndReset, fetchWhole } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { ok, sharing } from '../support/sharing.ts'

t.setTimeout(120_000)
const { app, ctx, port, otherPort, alice, visitor, links, start, get, downloads, activity, interrupt } = await downloading(t)

/** Ends all leases of a share's first link, as time does. */
const endLeases = (id: string) =>
  sql`update share set download_leases = (select coalesce(jsonb_object_agg(key, jsonb_set(value, '{until}', '1')), '{}') from jsonb_each(download_leases)) where id = ${id}`.execute(
    ctx.db,
  )

t.test('sends a tiny file right after its first bytes, which use up a download of one', async (t) => {
  const [file] = await alice.share('tiny', { 'a.txt': 'aaa' }, { security: { maxDownloads: 1 } })
  const url = path('tiny', file!)
  const one = await visitor.unlock('tiny')
  await get(url, { ...one, range: 'bytes=0-1' })
  t.equal((await get(url, one)).body.toString(), 'aaa')
  t.same(errorOf(await get(url, await visitor.unlock('tiny'))), [403, 'share_max_downloads_exceeded'])
})

const robots = {
  Slack: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Slack images': 'Slack-ImgProxy (+https://api.slack.com/robots)',
  WhatsApp: 'WhatsApp/2.23.20.0',
  'Outlook SafeLinks': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
  'Google Image Proxy': 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  iMessage:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
  Teams: 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  Outlook: 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
  Discord: 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
}
t.test('lets no preview robot use up a download', async (t) => {
  const [file] = await alice.share('once', { 'a.txt': 'secret' }, { security: { maxDownloads: 1 } })
  for (const [name, agent] of Object.entries(robots)) {
    const headers = { 'user-agent': agent }
    // SafeLinks looks like a browser, but only opens the page, and may run its scripts.
    const files = name === 'Outlook SafeLinks' ? [] : [path('once', file!), '/api/shares/once/files/zip']
    await fetchWhole(port, '/api/shares/once/token', { method: 'POST', headers })
    for (const url of ['/share/once', '/api/shares/once', ...files]) {
      const { body } = await get(url, headers)
      t.notMatch(body.toString(), 'secret', `${name}: ${url}`)
    }
  }
  t.match((await links('once'))[0], { downloads: 0, views: Object.keys(robots).length }, 'robots that run scripts are visits')
  t.equal((await get(path('once', file!), { 'user-agent': 'curl/8' })).body.toString(), 'secret')
  await becomes(t, () => downloads('once'), 1)
})

t.test('gives the last download to one of two visitors, who can resume it', async (t) => {
  const [file] = await alice.share('rivals', { 'a.bin': big }, { security: { maxDownloads: 1 } })
  const url = path('rivals', file!)
  const [one, two] = [await visitor.unlock('rivals'), await visitor.unlock('rivals')]
  const answer = await start(url, one)
  t.equal(answer.statusCode, 200)
  const refused = await get(url, two, otherPort)
  t.same(errorOf(refused), [409, 'download_in_progress'])
  t.ok(Number(refused.headers['retry-after']) > 60)
  t.same(errorOf(await get('/api/shares/rivals/files/zip', two)), [409, 'download_in_progress'])
  await once(answer, 'data')
  answer.destroy()
  await sleep(200)
  t.same(errorOf(await get(url, two)), [409, 'download_in_progress'], 'while it can be resumed')
  t.equal((await get(url, { ...one, range: 'bytes=1000-' }, otherPort)).status, 206)
  await becomes(t, () => downloads('rivals'), 1)
  t.same(errorOf(await get(url, two)), [403, 'share_max_downloads_exceeded'])
  t.same(errorOf(await get(url, one)), [403, 'share_max_downloads_exceeded'])
  t.equal((await get(url, { ...one, range: 'bytes=20000000-' })).status, 206, 'whose last bytes may not have arrived')
  t.match(await links('rivals'), [{ state: 'used', downloads: 1, maxDownloads: 1 }])
  await becomes(t, async () => [...new Set((await activity('rivals')).flatMap(({ reason }: { reason?: string }) => reason ?? []))].sort(), [
    'download_in_progress',
    'share_max_downloads_exceeded',
  ])
})

t.test('reserves at once: of many visitors at the same moment, as many as allowed get it', async (t) => {
  const [file] = await alice.share('crowd', { 'a.bin': big }, { security: { maxDownloads: 2 } })
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, n) => start(path('crowd', file!), { 'user-agent': `agent ${n}` }, n % 2 ? port : otherPort)),
  )
  t.same(all.map(({ statusCode }) => statusCode).sort(), [200, 200, ...Array(6).fill(409)])
  for (const answer of all) answer.destroy()
})

t.test('does not take two visitors of one address for one', async (t) => {
  const [file] = await alice.share('nat', { 'a.bin': big }, { security: { maxDownloads: 1 } })
  const answer = await start(path('nat', file!))
  t.same(errorOf(await get(path('nat', file!))), [409, 'download_in_progress'])
  t.same(errorOf(await get(path('nat', file!), { range: 'bytes=5-' })), [409, 'download_in_progress'])
  answer.destroy()
  await sleep(200)
  t.equal((await get(path('nat', file!))).status, 200, 'but the same can start again')
})

t.test('gives a download back when it is abandoned', async (t) => {
  const [file] = await alice.share('left', { 'a.bin': big }, { security: { maxDownloads: 1 } })
  const [one, two] = [await visitor.unlock('left'), await visitor.unlock('left')]
  await interrupt(path('left', file!), one)
  t.same(errorOf(await get(path('left', file!), two)), [409, 'download_in_progress'])
  await endLeases('left')
  t.equal((await get(path('left', file!), two)).status, 200)
  await becomes(t, () => downloads('left'), 1)
  t.same(errorOf(await get(path('left', file!), { ...one, range: 'bytes=5-' })), [403, 'share_max_downloads_exceeded'])
})

t.test('keeps the reservation of a running download when the same visitor cuts another', async (t) => {
  const [a, b] = await alice.share('both', { 'a.bin': big, 'b.bin': big }, { security: { maxDownloads: 1 } })
  const [one, two] = [await visitor.unlock('both'), await visitor.unlock('both')]
  const answer = await start(path('both', a!), one)
  await beginAndReset(port, path('both', b!), one.cookie)
  await interrupt(path('both', b!), one)
  await sleep(200)
  t.same(errorOf(await get(path('both', a!), two)), [409, 'download_in_progress'])
  await endLeases('both')
  await once(answer.resume(), 'end')
  await becomes(t, () => downloads('both'), 1, 'counts also without a lease')
  t.same(errorOf(await get(path('both', a!), one)), [403, 'share_max_downloads_exceeded'])
  t.equal((await get(path('both', b!), one)).status, 200, 'the other file belongs to the same download')
  t.equal(await downloads('both'), 1)
})

t.test('counts a limited download of which only a small rest is missing', async (t) => {
  const files = { 'a.txt': 'x'.repeat(1000), 'b.txt': 'y'.repeat(1000) }
  const [a, b] = await alice.share('rest', files, { security: { maxDownloads: 1 } })
  const [one, two] = [await visitor.unlock('rest'), await visitor.unlock('rest')]
  await get(path('rest', a!), { ...one, range: 'bytes=0-399' })
  await sleep(200)
  t.equal(await downloads('rest'), 0, 'less than half')
  await get(path('rest', a!), { ...one, range: 'bytes=0-998' })
  await becomes(t, () => downloads('rest'), 1)
  t.same(errorOf(await get(path('rest', a!), two)), [403, 'share_max_downloads_exceeded'])
  t.equal((await get(path('rest', a!), { ...one, range: 'bytes=999-' })).status, 206, 'the rest can be fetched')
  await sleep(200)
  for (const status of [206, 206, 403]) {
    t.equal((await get(path('rest', b!), { ...one, range: 'bytes=0-998' })).status, status, 'at most twice')
    await sleep(200)
  }
  t.equal(await downloads('rest'), 1)
})

t.test('keeps what is running when the first link is replaced', async (t) => {
  const [file] = await alice.share('moved', { 'a.bin': big }, { security: { maxDownloads: 1 } })
  const answer = await start(path('moved', file!))
  const { id } = ok(await alice.call('POST', '/moved/links/moved/replace', { id: 'moved-2' })).json()
  t.same(errorOf(await get(path(id, file!), { 'user-agent': 'another' })), [409, 'download_in_progress'])
  await once(answer.resume(), 'end')
  await becomes(t, async () => (await links('moved')).map((link: { downloads: number }) => link.downloads), [1, 1])
  t.same(errorOf(await get(path(id, file!), { 'user-agent': 'another' })), [403, 'share_max_downloads_exceeded'])
})

t.test('lets a visitor fetch each file once, or all as a zip, as one download', async (t) => {
  const [a, b] = await alice.share('several', { 'a.txt': 'a', 'b.txt': 'b' }, { security: { maxDownloads: 2 } })
  const [one, two, three] = [await visitor.unlock('several'), await visitor.unlock('several'), await visitor.unlock('several')]
  for (const file of [a, b]) {
    t.equal((await get(path('several', file!), one)).status, 200)
    await becomes(t, () => downloads('several'), 1)
  }
  t.equal((await get('/api/shares/several/files/zip', two)).status, 200)
  await becomes(t, () => downloads('several'), 2)
  for (const headers of [one, two, three]) {
    t.same(errorOf(await get(path('several', a!), headers)), [403, 'share_max_downloads_exceeded'])
    t.same(errorOf(await get('/api/shares/several/files/zip', headers)), [403, 'share_max_downloads_exceeded'])
  }
  t.match((await links('several'))[0], { downloads: 2, state: 'used' })
})

t.test('limits each link for itself, and closes at once when a limit is lowered', async (t) => {
  const [file] = await alice.share('lowered', { 'a.txt': 'a' })
  ok(await alice.call('POST', '/lowered/links', { id: 'lowered-2', maxDownloads: 5 }))
  for (const n of [1, 2]) {
    await get(path('lowered-2', file!), { 'user-agent': `agent ${n}` })
    await becomes(t, async () => (await links('lowered'))[1].downloads, n)
  }
  t.match(ok(await alice.call('PATCH', '/lowered/links/lowered-2', { maxDownloads: 1 })).json(), { state: 'used', downloads: 2 })
  t.same(errorOf(await get(path('lowered-2', file!), { 'user-agent': 'agent 3' })), [403, 'share_max_downloads_exceeded'])
  t.equal((await get(path('lowered', file!))).status, 200)
})

t.test('deletes the share after the last download, if its owner wants that', async (t) => {
  const [file] = await alice.share('gone', { 'a.txt': 'a' }, { security: { maxDownloads: 1, deleteAfterDownloads: true } })
  t.equal((await get(path('gone', file!))).body.toString(), 'a')
  await becomes(t, async () => (await visitor.call('POST', '/gone/token', {})).json().error, 'share_not_found')
  t.same(ok(await alice.call('POST', '/undelete', { ids: ['gone'] })).json(), { ids: ['gone'] }, 'its owner can undo it')
  const [kept] = await alice.share('kept', { 'a.txt': 'a' }, { security: { maxDownloads: 1, deleteAfterDownloads: true } })
  ok(await alice.call('POST', '/kept/links', { id: 'kept-2' }))
  await get(path('kept', kept!))
  await becomes(t, () => downloads('kept'), 1)
  t.equal((await get(path('kept-2', kept!))).status, 200, 'another link still allows downloads')
})

t.test('keeps the share for a visitor who has used up a download and lacks files', async (t) => {
  const rules = { security: { maxDownloads: 2, deleteAfterDownloads: true } }
  const [a, b] = await alice.share('owed', { 'a.txt': 'a', 'b.txt': 'b' }, rules)
  const [one, two] = [await visitor.unlock('owed'), await visitor.unlock('owed')]
  const bob = await signUp(app, 'bob')
  await sql`update share set receiver_id = (select id from "user" where username = 'bob') where id = 'owed'`.execute(ctx.db)
  const used = async () =>
    (await ctx.db.selectFrom('share').select('downloads').where('id', '=', 'owed').executeTakeFirstOrThrow()).downloads
  await get(path('owed', a!), one)
  await becomes(t, used, 1)
  await get('/api/shares/owed/files/zip', two)
  await becomes(t, used, 2)
  await sleep(300)
  t.equal((await get(path('owed', b!), one)).body.toString(), 'b')
  await becomes(t, async () => (await visitor.call('POST', '/owed/token', {})).json().error, 'share_not_found')
  t.same(ok(await sharing(app, bob).call('POST', '/undelete', { ids: ['owed'] })).json(), { ids: ['owed'] }, 'who received it can undo it')
})

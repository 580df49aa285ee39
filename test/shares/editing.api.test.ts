import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { unzipped } from '../support/app/worker.ts'
import { signUp } from '../support/people/people.ts'
import { cookiesOf, destroy, ok, refusal, set, sharing } from '../support/sharing.ts'

const queue = waitingJobs()
let clock = new Date('2026-03-01T10:00:00.000Z')
const { app, ctx } = await testApp(t, { queue, now: () => clock })
const root = sharing(app, await signUp(app, 'root'))
const alice = sharing(app, await signUp(app, 'alice'))
const bob = sharing(app, await signUp(app, 'bob'))
const visitor = sharing(app)

const row = (id: string) => ctx.db.selectFrom('share').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const reopen = (id: string, person = alice) => person.call('DELETE', `/${id}/complete`)
const save = (id: string, person = alice) => person.call('POST', `/${id}/complete`)

/** Returns what a visitor sees: the names of the files and the content of the archive. */
async function seen(id: string) {
  const cookies = await visitor.unlock(id)
  const page = ok(await visitor.call('GET', `/${id}`, undefined, cookies)).json()
  const zip = ok(await visitor.call('GET', `/${id}/files/zip`, undefined, cookies))
  return { page, names: page.files.map(({ name }: { name: string }) => name), zip, entries: await unzipped(zip.rawPayload) }
}

t.test('shows visitors the old state until all changes are saved at once', async (t) => {
  const [a, b] = (await alice.share('trip', { 'a.txt': 'a', 'b.txt': 'bb', 'c.txt': 'ccc' })) as [string, string]
  const before = await seen('trip')
  const reopened = await reopen('trip')
  t.equal(reopened.statusCode, 200)
  t.match(reopened.json(), { id: 'trip', link: 'http://localhost:80/share/trip' })
  t.equal((await reopen('trip')).statusCode, 200, 'a second call succeeds')
  const added = await alice.file('trip', 'd.txt', 'dddd')
  ok(await alice.call('DELETE', `/trip/files/${a}`))
  t.same(ok(await alice.call('PATCH', `/trip/files/${b}`, { name: 'folder/B.txt' })).json(), { id: b, name: 'folder/B.txt', size: 2 })
  ok(await alice.call('PATCH', `/trip/files/${added}`, { name: 'D.txt' }))

  const during = await seen('trip')
  t.same(during.names, ['a.txt', 'b.txt', 'c.txt'])
  t.equal(during.page.size, 6)
  t.same(Object.keys(during.entries).sort(), ['a.txt', 'b.txt', 'c.txt'])
  t.equal(during.zip.headers.etag, before.zip.headers.etag)
  t.equal((await visitor.call('GET', `/trip/files/${a}`)).body, 'a', 'a file marked for removal is still served')
  t.match((await visitor.call('GET', `/trip/files/${b}`)).headers['content-disposition'], 'b.txt')
  t.same(refusal(await visitor.call('GET', `/trip/files/${added}`)), [404, 'file_not_found'])
  const page = ok(await alice.call('GET', '/trip/from-owner')).json()
  t.match(page, { editing: true, completed: true, size: 9 })
  t.same(
    page.files.map(({ name, published }: { name: string; published: boolean }) => [name, published]),
    [
      ['D.txt', false],
      ['c.txt', true],
      ['folder/B.txt', true],
    ],
  )
  t.match(page, {
    files: [{ olderName: null }, { olderName: null }, { olderName: 'b.txt' }],
    removedFiles: [{ id: a, name: 'a.txt', size: '1' }],
    unfinishedFiles: [],
    editable: true,
    removedReason: null,
  })
  t.match(ok(await alice.call('GET', '')).json(), [{ id: 'trip', editing: true, size: 6, fileCount: 3 }])

  clock = new Date(clock.getTime() + 60_000)
  t.equal((await save('trip')).statusCode, 202)
  const after = await seen('trip')
  t.same(after.names, ['D.txt', 'c.txt', 'folder/B.txt'])
  t.equal(after.page.size, 9)
  t.same(Object.fromEntries(Object.entries(after.entries).map(([name, bytes]) => [name, String(bytes)])), {
    'D.txt': 'dddd',
    'c.txt': 'ccc',
    'folder/B.txt': 'bb',
  })
  t.not(after.zip.headers.etag, before.zip.headers.etag)
  t.not(after.zip.headers['last-modified'], before.zip.headers['last-modified'])
  t.same(refusal(await visitor.call('GET', `/trip/files/${a}`)), [404, 'file_not_found'])
  t.match(await row('trip'), { revision: 2, reserved: 9, size: 9, uploadOpen: false })
  t.ok(
    await ctx.db.selectFrom('deletedObject').select('key').where('key', 'like', `%${a}`).executeTakeFirst(),
    'its bytes are queued for removal',
  )
  t.same(refusal(await save('trip')), [400, 'share_already_completed'])
})

t.test('discards unsaved changes', async (t) => {
  const [a, b] = (await alice.share('kept', { 'a.txt': 'a', 'b.txt': 'bb' })) as [string, string]
  t.same(refusal(await alice.call('POST', '/kept/restore')), [400, 'share_not_being_edited'])
  ok(await reopen('kept'))
  ok(await alice.call('DELETE', `/kept/files/${a}`))
  t.same(refusal(await alice.call('DELETE', `/kept/files/${a}`)), [404, 'file_not_found'], 'a second removal is rejected')
  t.same(refusal(await alice.call('PATCH', `/kept/files/${a}`, { name: 'x' })), [404, 'file_not_found'])
  ok(await alice.call('PATCH', `/kept/files/${b}`, { name: 'x' }))
  const added = await alice.file('kept', 'c.txt', 'ccc')
  const half = ok(await alice.announce('kept', 'half.txt', 100)).json()
  t.equal((await row('kept')).reserved, 2 + 3 + 100)
  t.same(refusal(await save('kept')), [400, 'upload_incomplete'])
  queue.jobs.length = 0
  t.equal((await alice.call('POST', '/kept/restore')).statusCode, 200)
  t.match(queue.jobs, [{ name: 'clean-up' }])
  t.match(await row('kept'), { revision: 1, reserved: 3, size: 3, uploadOpen: false })
  t.same((await seen('kept')).names, ['a.txt', 'b.txt'])
  t.match(ok(await alice.call('GET', '/kept/from-owner')).json(), { editing: false, files: [{ name: 'a.txt' }, { name: 'b.txt' }] })
  for (const id of [added, half.id]) {
    t.same(refusal(await alice.call('GET', `/kept/files/${id}/parts`)), [404, 'file_not_found'])
    t.ok(await ctx.db.selectFrom('deletedObject').select('key').where('key', 'like', `%${id}`).executeTakeFirst())
  }
  t.same(refusal(await alice.announce('kept', 'd', 1)), [400, 'share_already_completed'])
  ok(await alice.create('unborn'))
  t.same(refusal(await alice.call('POST', '/unborn/restore')), [400, 'share_not_being_edited'])
  t.equal((await reopen('unborn')).statusCode, 200, 'it is already being edited')
})

t.test('refuses to save a share without files', async (t) => {
  const [a] = await alice.share('empty', { 'a.txt': 'a' })
  ok(await reopen('empty'))
  ok(await alice.call('DELETE', `/empty/files/${a}`))
  t.same(refusal(await save('empty')), [400, 'share_has_no_files'])
  t.same((await seen('empty')).names, ['a.txt'])
})

t.test('lets replacements use the space of files marked for removal', async (t) => {
  await set(ctx, 'share.maxSize', 1000)
  const [old] = await alice.share('swap', { 'old.bin': Buffer.alloc(900) })
  ok(await reopen('swap'))
  t.same(refusal(await alice.announce('swap', 'new.bin', 900)), [413, 'share_too_large'])
  ok(await alice.call('DELETE', `/swap/files/${old}`))
  await alice.file('swap', 'new.bin', Buffer.alloc(900))
  t.same(refusal(await alice.announce('swap', 'more.bin', 101)), [413, 'share_too_large'])
  ok(await save('swap'))
  t.match(await row('swap'), { reserved: 900, size: 900 })
  await set(ctx, 'share.maxSize', 1_000_000_000_000)
})

t.test('restores a file marked for removal while there is space for it', async (t) => {
  await set(ctx, 'share.maxSize', 1000)
  const [a, b] = (await alice.share('undo', { 'a.bin': Buffer.alloc(600), 'b.bin': Buffer.alloc(300) })) as [string, string]
  const keep = (id: string, person = alice) => person.call('POST', `/undo/files/${id}/restore`)
  ok(await reopen('undo'))
  t.same(refusal(await keep(a)), [404, 'file_not_found'], 'it is not marked for removal')
  t.same(refusal(await keep('nonsense')), [404, 'file_not_found'])
  ok(await alice.call('PATCH', `/undo/files/${a}`, { name: 'A.bin' }))
  ok(await alice.call('DELETE', `/undo/files/${a}`))
  t.same(refusal(await keep(a, bob)), [403, 'forbidden'])
  t.same(refusal(await keep(a, visitor)), [401, 'unauthorized'])
  t.same(ok(await keep(a)).json(), { id: a, name: 'A.bin', size: 600 })
  t.equal((await row('undo')).reserved, 900)
  ok(await alice.call('DELETE', `/undo/files/${a}`))
  const half = ok(await alice.announce('undo', 'c.bin', 500)).json()
  const full = await keep(a)
  t.same(refusal(full), [413, 'share_too_large'])
  t.equal(full.json().max, 1000)
  const page = ok(await alice.call('GET', '/undo/from-owner')).json()
  t.match(page, {
    files: [{ id: b }],
    removedFiles: [{ id: a, name: 'A.bin' }],
    unfinishedFiles: [{ id: half.id, name: 'c.bin', size: '500' }],
  })
  t.equal((await row('undo')).reserved, 800)
  ok(await alice.call('DELETE', `/undo/files/${half.id}`))
  ok(await keep(a))
  ok(await save('undo'))
  t.same((await seen('undo')).names, ['A.bin', 'b.bin'])
  t.same(refusal(await keep(a)), [404, 'file_not_found'])
  await set(ctx, 'share.maxSize', 1_000_000_000_000)
})

t.test('rebuilds the zip after an edit', async (t) => {
  await set(ctx, 'share.zipCompressionLevel', 5)
  const [a] = await alice.share('zipped', { 'a.txt': 'a', 'b.txt': 'b' })
  await ctx.db.updateTable('share').set({ zipState: 'ready', zipSize: 10, zipRevision: 1 }).where('id', '=', 'zipped').execute()
  ok(await reopen('zipped'))
  ok(await alice.call('DELETE', `/zipped/files/${a}`))
  t.match(await row('zipped'), { zipState: 'ready', revision: 1 })
  queue.jobs.length = 0
  ok(await save('zipped'))
  const { uid, ...share } = await row('zipped')
  t.match(share, { zipState: 'preparing', revision: 2 })
  t.match(
    queue.jobs.filter(({ name }) => name === 'build-zip'),
    [{ payload: { shareId: 'zipped', revision: 2 } }],
  )
  t.ok(await ctx.db.selectFrom('deletedObject').select('key').where('key', '=', `zips/${uid}/1`).executeTakeFirst())
  await set(ctx, 'share.zipCompressionLevel', 0)
})

t.test('refuses an unknown field of a change, which could be a misspelled password', async (t) => {
  await alice.share('misspelled', { 'a.txt': 'a' })
  for (const field of ['security', 'pasword']) {
    const response = await alice.call('PATCH', '/misspelled', { [field]: { password: 'a secret' } })
    t.same(refusal(response), [400, 'validation_failed'], field)
    t.match(response.json().issues, [{ path: field, rule: 'additionalProperties' }])
  }
})

t.test('renames and removes a file at once when the share is not being edited', async (t) => {
  const [a, b] = (await alice.share('direct', { 'a.txt': 'a', 'b.txt': 'b' })) as [string, string]
  ok(await alice.call('PATCH', `/direct/files/${a}`, { name: 'A.txt' }))
  ok(await alice.call('DELETE', `/direct/files/${b}`))
  const after = await seen('direct')
  t.same(after.names, ['A.txt'])
  t.same(Object.keys(after.entries), ['A.txt'])
  t.equal((await row('direct')).revision, 3)
  for (const name of ['../x', '/x', 'a//b', 'a\\b', 'x'.repeat(256), '.', 'a\0b']) {
    t.same(refusal(await alice.call('PATCH', `/direct/files/${a}`, { name })), [400, 'file_name_invalid'], name)
  }
  t.same(refusal(await alice.call('PATCH', `/direct/files/${a}`, { name: '' })), [400, 'validation_failed'])
  await alice.share('other', { 'o.txt': 'o' })
  t.same(refusal(await alice.call('PATCH', `/other/files/${a}`, { name: 'x' })), [404, 'file_not_found'], 'a file of another share')
})

t.test('lets only the owner and administrators edit a share', async (t) => {
  const [a] = await alice.share('mine', { 'a.txt': 'a' })
  for (const [method, url, payload] of [
    ['DELETE', '/mine/complete'],
    ['POST', '/mine/restore'],
    ['PATCH', '/mine', { name: 'yours' }],
    ['PATCH', `/mine/files/${a}`, { name: 'yours' }],
    ['DELETE', `/mine/files/${a}`],
    ['GET', '/mine/recipients'],
    ['POST', `/mine/recipients/${a}/retry`],
    ['POST', '/mine/adopt'],
  ] as const) {
    t.same(refusal(await bob.call(method, url, payload)), [403, 'forbidden'], `${method} ${url}`)
    t.same(refusal(await visitor.call(method, url, payload)), [401, 'unauthorized'], `${method} ${url}`)
  }
  t.same(refusal(await alice.call('POST', '/mine/adopt')), [403, 'forbidden'], 'there is nothing to take over')
  await ctx.db.updateTable('share').set({ removedReason: 'It was spam.' }).where('id', '=', 'mine').execute()
  t.match(ok(await alice.call('GET', '/mine/from-owner')).json(), { removedReason: 'It was spam.' })
  await ctx.db.updateTable('share').set({ removedReason: null }).where('id', '=', 'mine').execute()
  ok(await reopen('mine', root))
  await root.file('mine', 'b.txt', 'b')
  ok(await root.call('PATCH', '/mine', { name: 'by root' }))
  ok(await save('mine', root))
  t.same((await seen('mine')).names, ['a.txt', 'b.txt'])
  t.equal((await seen('mine')).page.name, 'by root')
})

t.test('lets a creator without an account edit by cookie', async (t) => {
  await set(ctx, 'share.allowUnauthenticatedShares', true)
  const answer = ok(await visitor.create('guest', { expiration: '1-hour' }))
  const guest = sharing(app, cookiesOf(answer))
  await guest.file('guest', 'a.txt', 'a')
  ok(await save('guest', guest))
  ok(await reopen('guest', guest))
  await guest.file('guest', 'b.txt', 'b')
  ok(await save('guest', guest))
  t.same((await seen('guest')).names, ['a.txt', 'b.txt'])
  const changed = ok(await guest.call('PATCH', '/guest', { expiration: '7-days' }))
  t.match(changed.cookies, [{ name: 'share_guest_owner', value: answer.json().ownerToken, maxAge: 7 * 86_400 }])
  t.same(refusal(await reopen('guest', visitor)), [403, 'forbidden'])
  await set(ctx, 'share.allowUnauthenticatedShares', false)
})

t.test('changes text and limits at once, one at a time', async (t) => {
  await alice.share('words', { 'a.txt': 'a' }, { name: 'Old', description: 'old', security: { maxViews: 2 } })
  t.match(ok(await alice.call('PATCH', '/words', { name: ' New ' })).json(), { name: 'New', description: 'old', maxViews: 2 })
  t.match(ok(await alice.call('PATCH', '/words', { name: null, description: 'a\nb' })).json(), { name: null, description: 'a\nb' })
  t.equal(
    ok(await alice.call('PATCH', '/words', { expiration: '2-hours' })).json().expiration,
    new Date(clock.getTime() + 7_200_000).toISOString(),
  )
  t.equal(ok(await alice.call('PATCH', '/words', { expiration: 'never' })).json().expiration, '1970-01-01T00:00:00.000Z')
  await visitor.unlock('words')
  t.match(ok(await alice.call('PATCH', '/words', { maxViews: 1 })).json(), { maxViews: 1, views: 1 })
  t.same(refusal(await visitor.call('POST', '/words/token', {})), [403, 'share_max_views_exceeded'])
  ok(await alice.call('PATCH', '/words', { maxViews: null }))
  await visitor.unlock('words')
  t.match(ok(await alice.call('PATCH', '/words', {})).json(), { description: 'a\nb' }, 'an empty change changes nothing')
  t.equal((await row('words')).revision, 1, 'the archive stays valid')
})

t.test('rejects invalid changes and changes nothing', async (t) => {
  await alice.share('firm', { 'a.txt': 'a' }, { name: 'Firm' })
  for (const [path, payload] of [
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\nb' }],
    ['description', { description: 'x'.repeat(513) }],
    ['password', { password: 'ab' }],
    ['password', { password: '' }],
    ['password', { password: 'x'.repeat(129) }],
    ['maxViews', { maxViews: 0 }],
    ['maxViews', { maxViews: '3' }],
    ['recipients.0', { recipients: ['nonsense'] }],
  ] as const) {
    const answer = await alice.call('PATCH', '/firm', { ...payload, ...(path !== 'name' && { name: 'changed' }) })
    t.same(refusal(answer), [400, 'validation_failed'], JSON.stringify(payload).slice(0, 40))
    t.equal(answer.json().issues[0].path, path)
  }
  await set(ctx, 'share.maxExpiration', 24)
  for (const expiration of ['never', '2-days']) {
    t.same(refusal(await alice.call('PATCH', '/firm', { name: 'changed', expiration })), [400, 'expiration_exceeds_maximum'])
  }
  await set(ctx, 'share.maxExpiration', 0)
  t.same(refusal(await alice.call('PATCH', '/firm', { name: 'changed', expiration: 'soon' })), [400, 'expiration_invalid'])
  t.same(refusal(await alice.call('PATCH', '/firm', { name: 'changed', recipients: ['a@example.com'] })), [400, 'recipients_disabled'])
  t.equal((await row('firm')).name, 'Firm')
  t.same(refusal(await alice.call('PATCH', '/nothing', { name: 'x' })), [404, 'share_not_found'])
})

t.test('ends unlocked access when the password changes, but not when it is removed', async (t) => {
  await alice.share('sealed', { 'a.txt': 'a' })
  const open = await visitor.unlock('sealed')
  ok(await alice.call('PATCH', '/sealed', { password: 'first secret' }))
  t.same(refusal(await visitor.call('GET', '/sealed', undefined, open)), [403, 'share_password_required'])
  const first = await visitor.unlock('sealed', 'first secret')
  ok(await alice.call('PATCH', '/sealed', { name: 'Another name' }))
  ok(await visitor.call('GET', '/sealed', undefined, first))
  ok(await alice.call('PATCH', '/sealed', { password: 'second secret' }))
  t.same(refusal(await visitor.call('GET', '/sealed', undefined, first)), [403, 'share_password_required'])
  t.same(refusal(await visitor.call('POST', '/sealed/token', { password: 'first secret' })), [403, 'wrong_password'])
  const second = await visitor.unlock('sealed', 'second secret')
  t.equal(ok(await alice.call('PATCH', '/sealed', { password: null })).json().hasPassword, false)
  ok(await visitor.call('GET', '/sealed', undefined, second))
  await visitor.unlock('sealed')
  t.notMatch(JSON.stringify(await row('sealed')), 'secret')
})

t.test('never fails unexpectedly when saving, discarding, adding and removing run at once', async (t) => {
  for (let round = 0; round < 5; round++) {
    const [a] = await alice.share('busy', { 'a.txt': 'a', 'b.txt': 'bb' })
    ok(await reopen('busy'))
    const answers = await Promise.all([
      alice.announce('busy', 'c', 0),
      alice.call('DELETE', `/busy/files/${a}`),
      save('busy'),
      alice.call('PATCH', `/busy/files/${a}`, { name: 'x' }),
      alice.call('POST', '/busy/restore'),
      reopen('busy'),
      alice.announce('busy', 'd', 5),
      alice.call('PATCH', '/busy', { name: 'x' }),
    ])
    for (const { statusCode, body } of answers) t.ok(statusCode < 500, body)
    const files = await ctx.db.selectFrom('file').select(['size', 'removedAt']).where('shareId', '=', 'busy').execute()
    const { reserved } = await row('busy')
    t.equal(
      reserved,
      files.filter(({ removedAt }) => !removedAt).reduce((sum, { size }) => sum + size, 0),
      'the accounting is consistent',
    )
    await destroy(ctx, alice, 'busy')
  }
})

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { isContentAllowed } from '../../src/uploads/file-types.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { file, form, formType, text } from '../support/form.ts'
import { signUp } from '../support/people/people.ts'
import { reversing, sending } from '../support/reverse.ts'
import { cookiesOf, ok, refusal, sharing } from '../support/sharing.ts'

const bytes = (latin1: string) => Buffer.from(latin1, 'latin1')
const png = bytes('\x89PNG\r\n\x1a\n rest')
const contents = {
  pdf: bytes('%PDF-1.7 rest'),
  png,
  jpeg: bytes('\xff\xd8\xff\xe0 rest'),
  zip: bytes('PK\x03\x04 rest'),
  mp4: bytes('\0\0\0\x18ftypmp42 rest'),
  exe: bytes('MZ\x90\0 rest'),
  elf: bytes('\x7fELF rest'),
  html: bytes('\n<!DOCTYPE html><script>'),
  svg: bytes('<?xml version="1.0"?><svg onload="x()"/>'),
  script: bytes('#!/bin/sh\n'),
  plain: bytes('just text'),
}

t.test('requires the first bytes to match an allowed type', async (t) => {
  const cases: [name: string, content: keyof typeof contents, allowed: string[], isAllowed: boolean, type?: string][] = [
    ['a.png', 'png', ['image/*'], true],
    ['a.png', 'jpeg', ['image/*'], true],
    ['a.png', 'jpeg', ['.png'], false],
    ['a.png', 'html', ['image/*'], false],
    ['a.png', 'plain', ['image/*'], false],
    ['a.pdf', 'exe', ['.pdf'], false],
    ['a.pdf', 'pdf', ['PDF'], true],
    ['a.docx', 'zip', ['.docx'], true],
    ['a.docx', 'elf', ['.docx'], false],
    ['a.mp4', 'mp4', ['video/*'], true],
    ['a.mp4', 'exe', ['video/*'], false],
    ['a.zip', 'zip', ['application/x-zip-compressed'], true],
    ['a.svg', 'svg', ['image/*'], true],
    ['a.txt', 'plain', ['.txt'], true],
    ['a.txt', 'exe', ['text/plain'], false],
    ['photo', 'png', ['image/*'], true, 'image/png'],
    ['photo', 'script', ['image/*'], false, 'image/png'],
    ['a.xyz', 'plain', ['.xyz'], true],
    ['a.xyz', 'zip', ['.xyz'], true],
    ['a.exe', 'exe', ['.exe'], true],
  ]
  for (const [name, content, allowed, isAllowed, type] of cases)
    t.equal(isContentAllowed({ name, type }, contents[content], allowed), isAllowed, `${name} with ${content} for ${allowed}`)
})

const { app, ctx } = await testApp(t, { queue: waitingJobs() })
await reversing(app, await signUp(app, 'alice')).link('pictures', { allowedTypes: ['image/*', '.pdf'], maxUseCount: 5 })
const { answer, sender } = await sending(app).send('pictures', 'box')
const cookies = cookiesOf(ok(answer))

async function state() {
  await cleanUp(ctx, {}, new AbortController().signal)
  const { reserved, reservedFiles } = await ctx.db.selectFrom('share').selectAll().where('id', '=', 'box').executeTakeFirstOrThrow()
  const files = await ctx.db.selectFrom('file').select('id').execute()
  const objects = await readdir(join(ctx.env.dataDir, 'objects'), { recursive: true })
  return { reserved, reservedFiles, files, objects: objects.filter((name) => name.includes('/')) }
}

t.test("prefers the type of the name to the client's type", async (t) => {
  for (const [name, type] of [
    ['evil.exe', 'image/png'],
    ['evil.html', 'image/x'],
    ['evil.js', 'image/png'],
    ['a.docx', 'application/pdf'],
  ] as const) {
    t.same(refusal(await sender.call('POST', '/box/files', { name, size: 1, type })), [400, 'file_type_not_allowed'], name)
  }
  const { id } = ok(await sender.call('POST', '/box/files', { name: 'raw.cr3', size: 1, type: 'image/x-canon-cr3' })).json()
  ok(await sender.call('DELETE', `/box/files/${id}`))
})

t.test('rejects contradicting content on every path and leaves nothing', async (t) => {
  const before = await state()
  const { id } = ok(await sender.announce('box', 'a.png', contents.exe.length)).json()
  ok(await sender.part('box', id, 1, contents.exe))
  t.same(refusal(await sender.call('POST', `/box/files/${id}/complete`)), [400, 'file_type_not_allowed'])
  t.same(await state(), before, 'parts')
  const chunk = await app.inject({
    method: 'POST',
    url: '/api/shares/box/files?name=b.pdf&chunkIndex=0&totalChunks=1',
    headers: { ...cookies, 'content-type': 'application/octet-stream' },
    payload: contents.html,
  })
  t.same(refusal(chunk), [400, 'file_type_not_allowed'])
  t.same(await state(), before, 'chunks')
  const payload = form(text('reverseShareToken', 'pictures'), file('a.png', contents.png), file('c.png', contents.script))
  const sent = await app.inject({ method: 'POST', url: '/api/upload', headers: formType, payload })
  t.same(refusal(sent), [400, 'file_type_not_allowed'])
  t.same(await state(), before, 'forms')
})

t.test('keeps matching content, and rejects renames to other types', async (t) => {
  const plain = sharing(app, cookies)
  const id = await plain.file('box', 'a.png', png)
  ok(await plain.call('PATCH', `/box/files/${id}`, { name: 'b.jpg' }))
  const drawing = await plain.file('box', 'a.svg', contents.svg)
  t.same(refusal(await plain.call('PATCH', `/box/files/${drawing}`, { name: 'a.pdf' })), [400, 'file_type_not_allowed'])
})

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { storedFiles } from '../support/app/worker.ts'
import { packBody, sendPack } from '../support/packs.ts'
import { signUp } from '../support/people/people.ts'
import { chunk, header, pngOf } from '../support/png.ts'
import {
  pdf,
  picture,
  rawFile,
  runPreviewJobs,
  video,
  webpOf,
  withExif,
  withoutFfmpeg,
  withoutPoppler,
  withoutVips,
} from '../support/previews.ts'
import { ok, set, sharing } from '../support/sharing.ts'

const vips = { skip: withoutVips }
const queue = waitingJobs()
const log = keptLog()
const clock = { offset: 0 }
const { app, ctx } = await testApp(t, { queue, log, now: () => new Date(Date.now() + clock.offset) })
const headers = await signUp(app, 'alice')
const alice = sharing(app, headers)
let shares = 0

interface SharedFile {
  id: string
  name: string
  preview?: { kind: string; width: number; height: number }
}

/** Shares files, makes their previews, and returns what the owner sees of each by name. */
async function previewed(files: Record<string, Buffer | string>) {
  const id = `share-${++shares}`
  await alice.share(id, files)
  await runPreviewJobs(ctx, queue)
  const listed: SharedFile[] = ok(await alice.call('GET', `/${id}`, undefined, await alice.unlock(id))).json().files
  return {
    id,
    previews: Object.fromEntries(listed.map(({ name, preview }) => [name, preview])),
    bytes: async (name: string, size: 'thumbnail' | 'preview') => {
      const file = listed.find((candidate) => candidate.name === name)
      return ok(await alice.call('GET', `/${id}/files/${file?.id}/${size}`)).rawPayload
    },
  }
}

const rowsOf = (id: string) =>
  ctx.db
    .selectFrom('preview')
    .innerJoin('file', 'file.id', 'preview.fileId')
    .selectAll('preview')
    .select('name')
    .where('shareId', '=', id)
    .execute()
const image = (width: number, height: number) => ({ kind: 'image', width, height })

t.test('makes previews of every format of images', vips, async (t) => {
  const formats = ['jpg', 'png', 'webp', 'gif', 'tiff', 'avif[effort=0]', 'heic[compression=hevc]']
  const files = Object.fromEntries(formats.map((format) => [`photo.${format.replace(/\[.*/, '').toUpperCase()}`, picture(format)]))
  const { previews, bytes } = await previewed(files)
  for (const name of Object.keys(files)) {
    t.same(previews[name], image(900, 600), name)
    t.match(webpOf(await bytes(name, 'thumbnail')), { width: 400, height: 267 }, name)
    t.match(webpOf(await bytes(name, 'preview')), { width: 900, height: 600 }, 'it is not enlarged')
  }
})

t.test('shrinks large pictures, turns them upright, and drops where and with what they were taken', vips, async (t) => {
  const { previews, bytes } = await previewed({ 'a.jpg': withExif(picture('jpg', [2000, 1000]), 6) })
  t.same(previews['a.jpg'], image(1000, 2000))
  t.same(webpOf(await bytes('a.jpg', 'preview')), { width: 800, height: 1600, hasMetadata: false })
  t.same(webpOf(await bytes('a.jpg', 'thumbnail')), { width: 200, height: 400, hasMetadata: false })
})

t.test('reads photos that are stored together in one object', vips, async (t) => {
  const files = { 'a.jpg': picture('jpg', [60, 40]), 'b.jpg': picture('jpg', [30, 50]) }
  ok(await alice.create('packed'))
  ok(await sendPack(app, headers, 'packed', packBody(Object.entries(files).map(([name, bytes]) => ({ name, bytes })))))
  ok(await alice.call('POST', '/packed/complete'))
  await runPreviewJobs(ctx, queue)
  const listed: SharedFile[] = ok(await alice.call('GET', '/packed/from-owner')).json().files
  t.same(
    listed.map(({ preview }) => preview),
    [image(60, 40), image(30, 50)],
  )
})

t.test('shows the largest picture in a RAW file upright, not the data of the sensor', vips, async (t) => {
  const [large, small] = [picture('jpg[strip]', [600, 400]), picture('jpg[strip]', [200, 150])]
  const { previews } = await previewed({
    'turned.NEF': rawFile(large, small, 8),
    'plain.dng': rawFile(withExif(large, 1), small, 1),
    'empty.cr2': Buffer.concat([Buffer.from('II*\0'), Buffer.alloc(3000, 7)]),
  })
  t.same(previews, {
    'turned.NEF': { kind: 'raw', width: 400, height: 600 },
    'plain.dng': { kind: 'raw', width: 600, height: 400 },
    'empty.cr2': undefined,
  })
})

t.test('shows the first picture of a video, also of one whose contents are at its end', { skip: withoutFfmpeg }, async (t) => {
  const mp4 = video('mp4')
  const movie = mp4.lastIndexOf('moov') - 4
  const free = Buffer.alloc(40 * 1_048_576)
  free.writeUInt32BE(free.length, 0)
  free.write('free', 4, 'latin1')
  const { previews, bytes } = await previewed({
    'a.mp4': mp4,
    'b.webm': video('webm'),
    'c.mov': video('mov', 'setsar=2'),
    'd.mkv': video('mkv'),
    'long.mp4': Buffer.concat([mp4.subarray(0, movie), free, mp4.subarray(movie)]),
  })
  const found = { kind: 'video', width: 320, height: 240 }
  t.same(previews, { 'a.mp4': found, 'b.webm': found, 'c.mov': { ...found, width: 640 }, 'd.mkv': found, 'long.mp4': found })
  t.same(webpOf(await bytes('long.mp4', 'preview')), { width: 320, height: 240, hasMetadata: false })
})

t.test('shows the first page of a PDF, however large the page is', { skip: withoutPoppler }, async (t) => {
  const { previews } = await previewed({ 'letter.pdf': pdf(612, 792), 'poster.pdf': pdf(14_000, 7_000) })
  t.match(previews, { 'letter.pdf': { kind: 'document', height: 1600 }, 'poster.pdf': { kind: 'document', width: 1600, height: 800 } })
})

t.test('makes none of other files and of damaged ones, and records why', { skip: withoutFfmpeg ?? withoutPoppler }, async (t) => {
  const heic = picture('heic[compression=hevc]')
  const { id, previews } = await previewed({
    'a.txt': 'text',
    'b.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    'svg.png': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>',
    'text.jpg': 'text',
    'cut.heic': heic.subarray(0, heic.length / 2),
    'damaged.heic': Buffer.concat([heic.subarray(0, 60), Buffer.alloc(heic.length - 60, 0x41)]),
    'cut.png': picture('png').subarray(0, 40),
    'list.mp4': '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n',
    'concat.mkv': 'ffconcat version 1.0\nfile /etc/passwd\n',
    'none.pdf': '%PDF-1.4\nnothing',
    'empty.jpg': '',
  })
  t.same(Object.values(previews).filter(Boolean), [])
  const rows = await rowsOf(id)
  t.same(rows.map(({ name }) => name).sort(), [
    'concat.mkv',
    'cut.heic',
    'cut.png',
    'damaged.heic',
    'list.mp4',
    'none.pdf',
    'svg.png',
    'text.jpg',
  ])
  t.same(
    rows.filter(({ error }) => !error),
    [],
  )
  const used = (name: string) => rows.find((row) => row.name === name)?.attempts
  t.same([used('text.jpg'), used('svg.png'), used('cut.heic')], [3, 3, 1], 'a file of another format is not tried again')
  clock.offset = 3_600_000
  for (let round = 0; round < 5; round++) {
    await cleanUp(ctx, {}, new AbortController().signal)
    await runPreviewJobs(ctx, queue)
    clock.offset += 3_600_000
  }
  t.same(
    (await rowsOf(id)).map(({ attempts }) => attempts),
    rows.map(() => 3),
    'others are tried three times',
  )
  clock.offset = 0
})

t.test('refuses more than 100 megapixels by the header, and survives a bomb below', vips, async (t) => {
  const { id, previews } = await previewed({
    'huge.png': pngOf(header(20_000, 20_000), chunk('IDAT', Buffer.alloc(100))),
    'bomb.png': pngOf(header(10_000, 10_000, true), chunk('IDAT', Buffer.alloc(100))),
    'fine.jpg': picture('jpg', [100, 50]),
  })
  t.same(previews, { 'huge.png': undefined, 'bomb.png': undefined, 'fine.jpg': image(100, 50) })
  const row = (await rowsOf(id)).find(({ name }) => name === 'huge.png')
  t.match(row, { error: /100 megapixels/, attempts: 3 })
})

t.test('leaves no folder behind, and no object without a row', vips, async (t) => {
  t.same(await readdir(join(ctx.env.dataDir, 'previews-work')), [])
  const keys = (await ctx.db.selectFrom('preview').select('objectKey').execute()).flatMap(({ objectKey }) => objectKey ?? [])
  const stored = (await storedFiles(ctx)).filter((key) => key.startsWith('previews/'))
  t.same(stored, keys.flatMap((key) => [`${key}-preview`, `${key}-thumbnail`]).sort())
  t.same(await ctx.db.selectFrom('deletedObject').select('key').where('key', 'like', 'previews/%').execute(), [])
})

t.test('makes previews of shares that are older than the setting, and of added files', vips, async (t) => {
  await set(ctx, 'share.previews', false)
  const { id, previews } = await previewed({ 'a.jpg': picture('jpg', [100, 50]) })
  t.same(previews, { 'a.jpg': undefined })
  await set(ctx, 'share.previews', true)
  await cleanUp(ctx, {}, new AbortController().signal)
  await runPreviewJobs(ctx, queue)
  ok(await alice.call('DELETE', `/${id}/complete`))
  await alice.file(id, 'b.jpg', picture('jpg', [60, 40]))
  ok(await alice.call('POST', `/${id}/complete`))
  await runPreviewJobs(ctx, queue)
  const { files } = ok(await alice.call('GET', `/${id}`, undefined, await alice.unlock(id))).json()
  t.same(
    files.map(({ preview }: SharedFile) => preview),
    [image(100, 50), image(60, 40)],
  )
})

t.test('drops what it made of a file that is deleted meanwhile', vips, async (t) => {
  const [fileId = ''] = await alice.share('deleted', { 'a.jpg': picture('jpg', [100, 50]) })
  const before = (await storedFiles(ctx)).length
  const deleting = {
    ...ctx,
    storage: {
      ...ctx.storage,
      async write(key: string, ...rest: [never]) {
        await ctx.db.deleteFrom('share').where('id', '=', 'deleted').execute()
        return ctx.storage.write(key, ...rest)
      },
    },
  }
  await runPreviewJobs(deleting, queue)
  clock.offset = 3_600_000
  await cleanUp(ctx, {}, new AbortController().signal)
  clock.offset = 0
  t.equal((await storedFiles(ctx)).length, before - 1)
  t.same(await ctx.db.selectFrom('preview').selectAll().where('fileId', '=', fileId).execute(), [])
})

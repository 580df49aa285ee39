import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { cleanMedia } from '../../uploader/metadata/clean-media.ts'
import type { FileSource } from '../../uploader/types.ts'

const read = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/videos', name))
const sourceOf = (bytes: Uint8Array<ArrayBuffer>, name = 'video.mp4'): FileSource => {
  const blob = new Blob([bytes])
  return { name, type: 'video/mp4', lastModified: 5, size: blob.size, slice: (start, end) => blob.slice(start, end) }
}
const bytesOf = async ({ slice, size }: FileSource) => Buffer.from(await slice(0, size).arrayBuffer())
/** Place, camera, title, and the names of the boxes and keys that have them. */
const secrets = ['Secret', '48.2082', '\xa9xyz', 'ISO6709', 'udta']
const revealed = (bytes: Buffer) => secrets.filter((secret) => bytes.includes(Buffer.from(secret, 'latin1')))

const folder = mkdtempSync(join(tmpdir(), 'rb-videos-'))
t.teardown(() => rmSync(folder, { recursive: true }))
/** Returns a digest of each decoded picture and piece of sound, with its time. */
function decoded(bytes: Buffer): string {
  const path = join(folder, 'decoded')
  writeFileSync(path, bytes)
  return execFileSync('ffmpeg', ['-v', 'error', '-i', path, '-f', 'framemd5', '-'], { encoding: 'utf8' }).replace(/^#.*\n/gm, '')
}
const noFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0 ? false : 'ffmpeg is not installed'

for (const name of ['video.mp4', 'video.mov']) {
  t.test(`removes place, camera, texts and times from ${name}, and moves nothing`, async (t) => {
    const original = read(name)
    t.ok(revealed(original).length >= 3, 'the original has them')
    const { outcome, source } = await cleanMedia(sourceOf(original, name))
    t.equal(outcome, 'cleaned')
    t.match(source, { name, type: 'video/mp4', lastModified: 5, size: original.length })
    const clean = await bytesOf(source)
    t.same(revealed(clean), [])
    const header = clean.indexOf('mvhd')
    t.equal(clean.readUInt32BE(header + 8), 0, 'the time of creation')
    t.ok(original.readUInt32BE(header + 8) > 0)
    t.ok((await bytesOf((await cleanMedia(source)).source)).equals(clean), 'cleaning it again changes nothing')
  })

  t.test(`keeps pictures and sound of ${name}`, { skip: noFfmpeg }, async (t) => {
    const { source } = await cleanMedia(sourceOf(read(name)))
    t.equal(decoded(await bytesOf(source)), decoded(read(name)))
  })

  t.test(`never lets a damaged ${name} pass as cleaned with its data`, async (t) => {
    const original = read(name)
    for (let length = 64; length < original.length; length += 97) {
      const { outcome } = await cleanMedia(sourceOf(original.subarray(0, length)))
      t.equal(outcome, 'failed', `${length} bytes`)
    }
    for (let at = 12; at < original.length; at += 13) {
      const damaged = Buffer.from(original)
      damaged[at] = 0xff
      await cleanMedia(sourceOf(damaged)) // must end, whatever the lengths in it say
    }
  })
}

const uint32 = (...numbers: number[]) => Buffer.concat(numbers.map((number) => Buffer.from(Uint32Array.of(number).buffer).swap32()))
function box(type: string, ...content: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(content.map((part) => Buffer.from(part)))
  return Buffer.concat([uint32(body.length + 8), Buffer.from(type), body])
}
const handler = (kind: string) => box('hdlr', uint32(0, 0), kind, uint32(0, 0, 0), 'Camera\0')
/** A track of samples of 7 bytes, in chunks of two. */
const track = (kind: string, chunks: number[]) => {
  const table = box(
    'stbl',
    box('stsz', uint32(0, 0, chunks.length * 2, ...chunks.flatMap(() => [7, 7]))),
    box('stsc', uint32(0, 1, 1, 2, 1)),
    box('stco', uint32(0, chunks.length, ...chunks)),
  )
  return box('trak', box('tkhd', Buffer.alloc(84)), box('mdia', handler(kind), box('minf', table)))
}
const head = box('ftyp', 'isom', uint32(0), 'isom')
const data = box('mdat', 'Secret-1.......', 'picture', 'Secret-2......')
const movie = (...tracks: Buffer[]) => box('moov', box('mvhd', Buffer.alloc(100)), ...tracks)
const at = head.length + 8

t.test('erases the places that a camera has recorded beside the pictures', async (t) => {
  const video = Buffer.concat([head, data, movie(track('vide', [at + 15]), track('meta', [at, at + 22])), box('sefd', 'Secret-3')])
  const { outcome, source } = await cleanMedia(sourceOf(video))
  t.equal(outcome, 'cleaned')
  const clean = await bytesOf(source)
  t.equal(clean.length, video.length)
  t.same(revealed(clean), [])
  t.ok(clean.includes('picture'))
})

t.test('reports a video whose recorded places can not be found', async (t) => {
  const outside = Buffer.concat([head, data, movie(track('vide', []), track('meta', [1_000_000]))])
  const fragmented = Buffer.concat([head, movie(track('vide', []), track('meta', [])), box('moof'), data])
  for (const video of [outside, fragmented]) t.equal((await cleanMedia(sourceOf(video))).outcome, 'failed')
})

t.test('leaves sound without pictures as it is', async (t) => {
  const sound = sourceOf(Buffer.concat([head, data, movie(track('soun', [at]), box('udta', 'Title of the song'))]))
  t.same(await cleanMedia(sound), { outcome: 'notCovered', source: sound })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { cleanMedia } from '../../uploader/metadata/clean-media.ts'
import { orientationOf, orientationOnly } from '../../uploader/metadata/orientation.ts'
import type { FileSource } from '../../uploader/types.ts'
import { png } from '../support/png.ts'

const folder = join(import.meta.dirname, '../fixtures/photos')
const read = (name: string) => readFileSync(join(folder, name))
const fileOf = (bytes: Uint8Array<ArrayBuffer> | string, name = 'photo'): FileSource => {
  const blob = new Blob([bytes])
  return { name, type: 'image/x', lastModified: 5, size: blob.size, slice: (start, end) => blob.slice(start, end) }
}
const bytesOf = async ({ slice, size }: FileSource) => Buffer.from(await slice(0, size).arrayBuffer())
/** What the photos say: camera, author, place, texts, and the names of the fields of a place. */
const secrets = ['Secret', 'GPSLatitude', 'http://ns.adobe.com', 'XMP', 'IPTC', '8BIM']
/** Where the Exif data begins that is left, if any. */
const exifOf = (bytes: Buffer) => bytes.subarray(bytes.indexOf(Buffer.from('MM\0*', 'latin1')))

for (const name of ['photo.jpg', 'photo.png', 'photo.webp', 'photo.heic', 'photo.avif']) {
  t.test(`removes location, camera and texts from ${name}, and keeps the picture and its orientation`, async (t) => {
    const original = read(name)
    t.ok(original.includes('Secret'), 'the original has them')
    const { outcome, source } = await cleanMedia(fileOf(original, name))
    t.equal(outcome, 'cleaned')
    t.match(source, { name, type: 'image/x', lastModified: 5 })
    const clean = await bytesOf(source)
    t.same(
      secrets.filter((secret) => clean.includes(secret)),
      [],
    )
    const isTurned = !/heic|avif/.test(name) // these have their orientation elsewhere
    if (isTurned) t.equal(orientationOf(exifOf(clean)), 6)
    else t.equal(clean.length, original.length, 'nothing moves')
    t.ok((await bytesOf((await cleanMedia(source)).source)).equals(clean), 'cleaning it again changes nothing')
  })

  t.test(`never lets a damaged ${name} pass as cleaned with its data`, async (t) => {
    const original = read(name)
    for (let length = 64; length < original.length; length += 97) {
      const { outcome, source } = await cleanMedia(fileOf(original.subarray(0, length)))
      if (outcome === 'cleaned') t.notOk((await bytesOf(source)).includes('Secret'), `${length} bytes`)
    }
    for (let at = 12; at < original.length; at += 13) {
      const damaged = Buffer.from(original)
      damaged[at] = 0xff
      await cleanMedia(fileOf(damaged)) // must end, whatever the lengths in it say
    }
  })
}

t.test('leaves files of other kinds as they are, and says so', async (t) => {
  for (const content of ['', 'text', 'RIFF....WAVE', '\x00\x00\x00\x14ftypM4A \x00\x00\x00\x00isom']) {
    const given = fileOf(content)
    t.same(await cleanMedia(given), { outcome: 'notCovered', source: given })
  }
})

t.test('keeps a picture without such data byte for byte', async (t) => {
  const plain = Buffer.from(png(4, 4, () => [1, 2, 3, 255]))
  t.ok((await bytesOf((await cleanMedia(fileOf(plain))).source)).equals(plain))
})

t.test('reads orientations, and takes malformed data for upright', async (t) => {
  for (const orientation of [1, 3, 6, 8]) t.equal(orientationOf(orientationOnly(orientation)), orientation)
  const little = Buffer.from('49492a00080000000100120103000100000008000000', 'hex')
  t.equal(orientationOf(little), 8)
  for (const hex of ['', '4d4d', '4d4d002affffffff0000000000000000', '4d4d002a00000008ffff'])
    t.equal(orientationOf(Buffer.from(hex, 'hex')), 1)
})

import t from 'tap'
import { toBase64Url } from '../../uploader/encryption/bytes.ts'
import { openDocument, sealDocument } from '../../uploader/encryption/document.ts'
import { newSealedName, type ShareKey, shareKeyOf } from '../../uploader/encryption/keys.ts'
import { linkKeyIn, linkWithKey, newLinkKey } from '../../uploader/encryption/link-key.ts'
import type { ShareContent } from '../../uploader/encryption/share-content.ts'
import { withThumbnails } from '../../uploader/encryption/thumbnail-room.ts'

const linkKey = newLinkKey()
const key = await shareKeyOf(linkKey)
const file = { file: newSealedName(), name: 'photos/a.jpg', type: 'image/jpeg', size: 5, crc32: 0xffff_ffff }
const content: ShareContent = { name: 'Größe', description: null, kind: 'files', files: [file] }
const sealed = await sealDocument(key, 3, content)

/** Encrypts what a hostile sender might. */
const sealHostile = (value: unknown) => sealDocument(key, 1, value as ShareContent)
const open = (bytes: typeof sealed, { with: by = key, seen = 0 }: { with?: ShareKey; seen?: number } = {}) => openDocument(by, bytes, seen)

t.test('a document is the same after encryption and decryption', async (t) => {
  t.same(await open(sealed), { revision: 3, content })
  t.same(await open(sealed, { seen: 3 }), { revision: 3, content })
})

t.test('a wrong key, which another share has, is told from a damaged document', async (t) => {
  await t.rejects(open(sealed, { with: await shareKeyOf(newLinkKey()) }), { code: 'wrong_key' })
  for (const position of [2, 20, 29, sealed.length - 1]) {
    const changed = sealed.slice()
    changed[position]! ^= 1
    await t.rejects(open(changed), { code: position === 20 ? 'wrong_key' : 'damaged' }, `byte ${position}`)
  }
  for (const length of [0, 1, 29, sealed.length - 1]) await t.rejects(open(sealed.slice(0, length)), { code: 'damaged' }, `${length} bytes`)
})

t.test('an older document, and one of a later version, are refused', async (t) => {
  await t.rejects(open(sealed, { seen: 4 }), { code: 'old_document' })
  const later = sealed.slice()
  later[0] = 2
  await t.rejects(open(later), { code: 'unknown_version' })
})

t.test('the length of a document says little about its names', async (t) => {
  const lengthFor = async (name: string) => (await sealHostile({ ...content, files: [{ ...file, name }] })).length
  t.equal(await lengthFor('a'), await lengthFor('a'.repeat(300)))
  t.equal(await lengthFor('a'), 29 + 1024 + 16)
  const long = await lengthFor('a'.repeat(4_000))
  t.equal(long, await lengthFor('a'.repeat(3_990)))
  t.ok(long < 4_700)
})

t.test('what a hostile sender writes into a document is checked', async (t) => {
  const files = (more: object) => ({ ...content, files: [{ ...file, ...more }] })
  const hostile: unknown[] = [
    null,
    [],
    { files: null },
    { ...content, name: 5 },
    { ...content, name: 'a'.repeat(101) },
    { ...content, kind: 'other' },
    { ...content, files: [file, file] },
    { ...content, files: [null] },
    files({ file: 'readable name.txt' }),
    files({ name: '../a' }),
    files({ name: '/a' }),
    files({ name: 'a//b' }),
    files({ name: 'a\\b' }),
    files({ name: 'a\nb' }),
    files({ name: '' }),
    files({ name: 'a'.repeat(4_097) }),
    files({ size: -1 }),
    files({ size: 1.5 }),
    files({ size: '5' }),
    files({ crc32: 2 ** 32 }),
    files({ type: 5 }),
  ]
  for (const value of hostile) await t.rejects(open(await sealHostile(value)), { code: 'damaged' }, JSON.stringify(value))
  const { content: read } = await open(await sealHostile({ ...content, later: 1, files: [{ ...file, later: 1 }] }))
  t.same(read, content, 'unknown fields are ignored')
})

t.test('a thumbnail is WebP of at most 8 kB, or left out', async (t) => {
  const thumbnail = toBase64Url(new Uint8Array([...Buffer.from('RIFF'), ...Array(8_188).fill(1)]))
  const read = async (value: unknown) =>
    (await open(await sealHostile({ ...content, files: [{ ...file, thumbnail: value }] }))).content.files
  t.same(await read(thumbnail), [{ ...file, thumbnail }])
  for (const invalid of [5, '', 'UklGR"onerror', `${thumbnail}AA`, toBase64Url(new Uint8Array(20))]) t.same(await read(invalid), [file])
})

t.test('a document gets only as many thumbnails as the server accepts', async (t) => {
  const thumbnail = 'UklGR'.padEnd(10_922, 'A')
  for (const [count, least] of [
    [1, 1],
    [100, 60],
    [2_000, 180],
  ] as const) {
    const files = Array.from({ length: count }, () => ({ ...file, file: newSealedName() }))
    const filled = withThumbnails({ ...content, files }, new Map(files.map(({ file }) => [file, thumbnail])))
    const document = await sealDocument(key, 1, filled)
    t.ok(document.length <= Math.min(16_777_216, 65_536 + count * 8_192), `${document.length} bytes for ${count} files`)
    const pictured = filled.files.filter((file) => file.thumbnail)
    t.ok(pictured.length >= least, `${pictured.length} of ${count}`)
    t.ok(pictured.length * thumbnail.length <= 2_000_000)
  }
})

t.test('a document that would be too long is not encrypted', async (t) => {
  await t.rejects(sealHostile({ ...content, description: 'a'.repeat(16 * 1_048_576) }), RangeError)
  await t.rejects(sealDocument(key, 0, content), RangeError)
})

t.test('the key is read from a whole link, a fragment and alone', async (t) => {
  const link = linkWithKey('https://files.example.org/share/abc', linkKey)
  t.match(link, /^https:\/\/files\.example\.org\/share\/abc#k=[\w-]{43}$/)
  t.equal(linkWithKey(`${link}&more`, linkKey), link)
  const text = link.split('#k=')[1]!
  for (const form of [link, `#k=${text}`, `k=${text}`, `#x=1&k=${text}`, ` ${text}\n`]) t.same(linkKeyIn(form), linkKey, form)
  for (const form of ['', 'https://files.example.org/share/abc', '#folder', 'abc']) t.equal(linkKeyIn(form), null, form)
  for (const form of ['#k=', `#k=${text.slice(1)}`, `#k=${text}A`, `#k=${text.slice(0, 42)}*`, `#k=${text.slice(0, 42)}B`]) {
    t.throws(() => linkKeyIn(form), { code: 'link_key_invalid' }, form)
  }
})

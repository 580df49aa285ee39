import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { fromBase64Url, toBase64Url } from '../../uploader/encryption/bytes.ts'
import { openDocument, sealDocument } from '../../uploader/encryption/document.ts'
import { fileKeyOf, newSealedName, shareKeyOf } from '../../uploader/encryption/keys.ts'
import { newLinkKey } from '../../uploader/encryption/link-key.ts'
import { sealSegment } from '../../uploader/encryption/records.ts'
import { contentOf, sealedRange, segmentContent, segmentCount } from '../../uploader/encryption/segments.ts'
import { generated, opened, sealedBytes, sealedFile } from '../support/sealed.ts'

const vectors = JSON.parse(readFileSync('docs/encryption-vectors.json', 'utf8'))
const program = 'test/encryption/vectors.py'
const python = existsSync('.ci/venv/bin/python') ? '.ci/venv/bin/python' : 'python3'
const hasPackage = spawnSync(python, ['-c', 'import cryptography.hazmat.primitives.kdf.argon2']).status === 0
const skip = hasPackage ? false : 'Python or its package cryptography (44 or newer) is missing'

const keyOf = ({ linkKey, password }: { linkKey: string; password: string }) => shareKeyOf(fromBase64Url(linkKey, 32)!, password)

t.test('the published vectors are those of the Python program', { skip }, async (t) => {
  t.same(JSON.parse(execFileSync(python, [program, 'make'], { encoding: 'utf8', maxBuffer: 2 ** 26 })), vectors)
})

t.test('derives the keys of the vectors', async (t) => {
  for (const vector of vectors.keys) t.equal((await keyOf(vector)).gatePassword, vector.gatePassword)
})

t.test('opens the documents of the vectors', async (t) => {
  for (const { revision, content, sealed, ...key } of vectors.documents) {
    const bytes = new Uint8Array(Buffer.from(sealed, 'base64url'))
    t.same(await openDocument(await keyOf(key), bytes), { revision, content })
  }
})

t.test('encrypts the files of the vectors to the same bytes, and decrypts them', async (t) => {
  for (const vector of vectors.files) {
    const { size, salts } = vector
    const key = (await fileKeyOf(await keyOf(vector), vector.file))!
    const content = generated(vector.content, size)
    const seal = (salt: string, number: number) => {
      const start = number * segmentContent
      const segment = content.slice(start, start + contentOf(size, number))
      return sealSegment(key, { number, count: segmentCount(size) }, segment, fromBase64Url(salt, 16)!)
    }
    const sealed = Buffer.concat(await Promise.all(salts.map(seal)))
    t.equal(sealed.length, vector.sealedSize)
    t.equal(createHash('sha256').update(sealed).digest('hex'), vector.sealedSha256, `${size} bytes`)
    if (vector.sealed) t.equal(sealed.toString('base64url'), vector.sealed)
    t.ok((await opened(sealed, { key, size })).equals(content))
  }
})

t.test('fetches the ranges of the vectors', async (t) => {
  for (const { size, start, end, sealedStart, sealedEnd, saltAt } of vectors.ranges) {
    t.match(sealedRange(size, { start, end }), { start: sealedStart, end: sealedEnd, saltAt, length: end - start })
  }
})

t.test('the Python program reads what is encrypted here', { skip }, async (t) => {
  const files: object[] = []
  const documents: object[] = []
  for (const password of ['', 'pässword']) {
    const linkKey = newLinkKey()
    const share = await shareKeyOf(linkKey, password)
    const common = { linkKey: toBase64Url(linkKey), password, gatePassword: share.gatePassword }
    for (const size of [0, 100_000, segmentContent + 1]) {
      const content = generated('ours', size)
      const { source } = await sealedFile(share, content)
      const sealed = Buffer.from(await sealedBytes(source)).toString('base64url')
      const sha256 = createHash('sha256').update(content).digest('hex')
      files.push({ ...common, file: source.name, sealed, sha256, crc32: crc32(content) })
    }
    const file = { file: newSealedName(), name: 'Ordner/ü.txt', type: '', size: 5, crc32: 0 }
    const content = { name: null, description: null, kind: 'files' as const, files: [file] }
    const sealed = await sealDocument(share, 9, content)
    documents.push({ ...common, revision: 9, content, sealed: Buffer.from(sealed).toString('base64url') })
  }
  const said = execFileSync(python, [program, 'check'], { input: JSON.stringify({ files, documents }), encoding: 'utf8' })
  t.equal(said, 'OK\n')
})

import { deflateSync } from 'node:zlib'
import { chunk, pngOf } from '../../test/support/png.ts'
import { formRequest, request } from '../support/raw.ts'
import { filled, type Input, type Target } from './input.ts'

const field = (name: string) => `content-disposition: form-data; name="${name}"`
const file = (name: string) => `content-disposition: form-data; name="file"; filename="${name}"`
const parts = (count: number, head: string, body: string) => Array.from({ length: count }, (): [string, string] => [head, body])

/** Returns forms, chunks and parts that are costly to parse or to store. */
export function uploadInputs({ own, cookie, admin }: Target): Input[] {
  const user = { cookie }
  const chunkPath = `/api/shares/${own}/files?name=c.txt&chunkIndex=0&totalChunks=2`
  const text = (body: string, more = {}) => request('POST', chunkPath, { ...user, 'content-type': 'text/plain', ...more }, body)
  const chunked = (body: string, path = '/api/upload', type = 'multipart/form-data; boundary=b') =>
    request('POST', path, { ...user, 'content-type': type, 'transfer-encoding': 'chunked' }, body)
  const form = (list: [string, string][], headers: Record<string, string> = user) => formRequest('/api/upload', list, headers)
  return [
    once('3,000 empty files in one form', form(parts(3000, file('a'), ''))),
    once('3,000 empty files in one form, signed out', form(parts(3000, file('a'), ''), {})),
    once('200,000 parts of one byte', form(parts(200_000, file('a'), 'x')), 1),
    several('200 text parts of 64 KB, signed out', form(parts(200, field('name'), filled('a', 65_000)), {}), 10),
    several('200 text parts of 64 KB', form(parts(200, field('recipients'), filled('a', 65_000))), 10),
    several('100,000 text parts of one byte', form(parts(100_000, field('recipients'), 'x')), 5),
    several('a part with headers of 1 MB', form([[`${file('a')}\r\nx: ${filled('a', 1_000_000)}`, 'x']]), 10),
    several('a part with 20,000 headers', form([[`${file('a')}\r\n${filled('x: y\r\n', 120_000)}z: z`, 'x']]), 10),
    several('a file name of 1 MB in a form', form([[file(filled('a', 1_000_000)), 'x']]), 10),
    several('almost boundaries, 2 MB', form([[file('a'), filled('\r\n--', 2_000_000)]]), 10),
    several(
      'a boundary of 70 hyphens in hyphens',
      formRequest('/api/upload', [[file('a'), filled('-', 2_000_000)]], user, '-'.repeat(70)),
      10,
    ),
    several(
      'nested multipart',
      form([['content-disposition: form-data; name="file"\r\ncontent-type: multipart/mixed; boundary=c', '--c\r\n\r\nx\r\n--c--']]),
      20,
    ),
    several('a form without an end', form([[file('a'), filled('a', 100_000)]]).subarray(0, 50_000), 20, true),
    several('a form in chunks of one byte', chunked(filled('1\r\na\r\n', 300_000)), 5),
    several('JSON in chunks of one byte', chunked(filled('1\r\na\r\n', 300_000), '/api/shares', 'application/json'), 5),
    several('a chunk extension of 100 KB', chunked(`1;${filled('a', 100_000)}\r\na\r\n`), 10),
    several('a text chunk of 13 MB', text(`data:a;base64,${filled('AAAA', 13_300_000)}`), 10),
    several(
      'a text chunk of 13 MB without a length',
      text(`d8c3e0\r\n${filled('AAAA', 14_205_920)}`, { 'transfer-encoding': 'chunked' }),
      10,
    ),
    several('a text chunk that is not base64', text(`data:${filled(',', 5_000_000)}`), 10),
    several('announced files', announced(own, user), 200),
    several('a logo of 4096 × 4096 in 16 bits', logo(admin), 2),
  ]
}

const once = (what: string, bytes: Buffer, count = 2): Input => ({ what, raw: { bytes }, count })
const several = (what: string, bytes: Buffer, count: number, cut = false): Input => ({
  what,
  raw: { bytes, cut },
  count,
  every: count > 50 ? 10 : 100,
})
const announced = (share: string, headers: Record<string, string>) =>
  request('POST', `/api/shares/${share}/files`, { ...headers, 'content-type': 'application/json' }, '{"name":"a","size":1000000}')

function logo(cookie: string): Buffer {
  const boundary = 'b'
  const head = `--${boundary}\r\n${file('logo.png')}\r\ncontent-type: image/png\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), bomb(), Buffer.from(`\r\n--${boundary}--\r\n`)])
  return request('POST', '/api/configs/admin/logo', { cookie, 'content-type': `multipart/form-data; boundary=${boundary}` }, body)
}

/** Returns a valid image that needs 134 MB when decoded. */
function bomb(): Buffer {
  const [width, height, bytesPerPixel] = [4096, 4096, 8]
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([16, 6], 8)
  return pngOf(chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.alloc(height * (1 + width * bytesPerPixel)))))
}

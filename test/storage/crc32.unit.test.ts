import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { crc32Combine } from '../../src/storage/streams/crc32.ts'

t.test('combines two CRCs into the CRC of the concatenation', async (t) => {
  for (const [lengthA, lengthB] of [
    [0, 0],
    [0, 9],
    [9, 0],
    [1, 1],
    [3, 1000],
    [70_000, 65_536],
    [65_536, 1_234_567],
  ] as const) {
    const [a, b] = [randomBytes(lengthA), randomBytes(lengthB)]
    t.equal(crc32Combine(crc32(a), crc32(b), lengthB), crc32(Buffer.concat([a, b])), `${lengthA} and ${lengthB} bytes`)
  }
})

t.test('combines many parts in sequence', async (t) => {
  const bytes = randomBytes(1_000_000)
  let combined = 0
  for (let at = 0; at < bytes.length; at += 77_777) {
    const part = bytes.subarray(at, at + 77_777)
    combined = crc32Combine(combined, crc32(part), part.length)
  }
  t.equal(combined, crc32(bytes))
})

t.test('supports lengths of more than 32 bits', async (t) => {
  // zlib.crc32, run over "head", 5 GiB of zero bytes and "x": with "head" 2900504770, without it
  // 2393423281.
  t.equal(crc32Combine(crc32('head'), 2393423281, 5 * 2 ** 30 + 1), 2900504770)
})

t.test('supports the largest safe integer as a length', async (t) => {
  const [a, b, half] = [crc32('a'), crc32('b'), 2 ** 52 - 1]
  const zeros = crc32Combine(a, 0, half) // a, and `half` zero bytes whose CRC does not matter
  t.equal(crc32Combine(a, b, 2 * half), crc32Combine(zeros, b, half))
})

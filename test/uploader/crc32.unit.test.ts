import { randomBytes } from 'node:crypto'
import { crc32 as reference } from 'node:zlib'
import t from 'tap'
import { crc32 } from '../../uploader/crc32.ts'

t.test('computes the CRC-32 of zip files', async (t) => {
  for (const length of [0, 1, 7, 8, 9, 1_000, 65_543]) {
    const bytes = randomBytes(length + 3).subarray(3) // not aligned
    t.equal(crc32(bytes), reference(bytes))
  }
})

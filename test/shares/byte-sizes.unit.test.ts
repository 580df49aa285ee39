import t from 'tap'
import { formatByteSize } from '../../src/byte-sizes.ts'

t.test('formats sizes in decimal units, with one decimal place below 100', async (t) => {
  const sizes = [0, 999, 1000, 25_440, 99_960, 287_400, 999_499, 999_500, 1_500_000_000, 2e18]
  const texts = ['0 B', '999 B', '1 kB', '25.4 kB', '100 kB', '287 kB', '999 kB', '1 MB', '1.5 GB', '2,000 PB']
  t.same(
    sizes.map((size) => formatByteSize(size, 'en-US')),
    texts,
  )
})

t.test('formats sizes for the language', async (t) => {
  t.equal(formatByteSize(12, 'fr-FR'), '12 o')
  t.equal(formatByteSize(1_500_000, 'de-DE').replace(/\s/, ' '), '1,5 MB')
})

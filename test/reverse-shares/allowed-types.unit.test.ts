import type { TFunction } from 'i18next'
import t from 'tap'
import { acceptOf, splitByType, typesText } from '../../web/lib/allowed-types.ts'

const file = (name: string, type = '') => ({ name, type, size: 1, lastModified: 0, slice: () => new Blob([]) })
const taken = (allowed: string[], ...files: ReturnType<typeof file>[]) => splitByType(files, allowed).accepted.map(({ name }) => name)

t.test('accepts every file when no types are set', async (t) => {
  t.same(taken([], file('a.exe'), file('b')), ['a.exe', 'b'])
  t.equal(acceptOf([]), undefined)
})

t.test('matches extensions in any case, with or without the dot', async (t) => {
  const files = [file('a.PDF'), file('b.tar.gz'), file('pdf'), file('c.pdf.exe', 'application/pdf')]
  t.same(taken(['.pdf', 'tar.GZ'], ...files), ['a.PDF', 'b.tar.gz'])
  t.same(
    splitByType(files, ['pdf']).refused.map(({ name }) => name),
    ['b.tar.gz', 'pdf', 'c.pdf.exe'],
  )
})

t.test('matches media types, and leaves the decision to the server when the browser knows none', async (t) => {
  const files = [
    file('a.png', 'image/png'),
    file('b.txt', 'text/plain;charset=utf-8'),
    file('c.heic'),
    file('d.raw', 'application/octet-stream'),
  ]
  t.same(taken(['image/*'], ...files), ['a.png', 'c.heic', 'd.raw'])
  t.same(taken(['Text/Plain'], ...files), ['b.txt', 'c.heic', 'd.raw'])
})

t.test('formats types for the file picker', async (t) => {
  t.equal(acceptOf(['pdf', '.tar.gz', 'image/*']), '.pdf,.tar.gz,image/*')
})

t.test('formats types for people', async (t) => {
  const say = ((key: string, otherwise: string) => (key === 'send.kind.image/*' ? 'images' : otherwise)) as TFunction
  t.equal(typesText(say, ['pdf', '.tar.gz', 'Image/*', 'text/csv']), '.pdf, .tar.gz, images, text/csv')
})

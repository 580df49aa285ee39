import t from 'tap'
import { findFiles, listFolder, type Order } from '../../web/pages/share/folders.ts'

const file = (name: string, size: number) => ({ id: `${name} ${size}`, name, size: String(size) })
const files = [
  file('10.jpg', 5),
  file('2.jpg', 50),
  file('same', 1),
  file('same', 2),
  file('photos/day 1/a', 100),
  file('photos/day 1/b', 10),
  file('photos/c', 1),
  file('photos2/d', 7),
  file('photos', 3),
]
const byName: Order = { by: 'name', descending: false }
const list = (folder: string, order = byName) =>
  listFolder(files, folder, order, 'en-US').map(({ kind, name, size, count }) => [kind, name, size, count])

t.test('folders come first, with all that is in them; names in natural order; a file may be called like a folder', async (t) => {
  t.same(list(''), [
    ['folder', 'photos', 111, 3],
    ['folder', 'photos2', 7, 1],
    ['file', '2.jpg', 50, 1],
    ['file', '10.jpg', 5, 1],
    ['file', 'photos', 3, 1],
    ['file', 'same', 1, 1],
    ['file', 'same', 2, 1],
  ])
})

t.test('a folder shows what is in it alone, not what a longer name holds', async (t) => {
  t.same(list('photos'), [
    ['folder', 'day 1', 110, 2],
    ['file', 'c', 1, 1],
  ])
  t.same(list('photos/day 1').length, 2)
  t.same(list('no such folder'), [])
})

t.test('by size, largest first', async (t) => {
  t.same(
    list('', { by: 'size', descending: true }).map(([, name, size]) => `${name} ${size}`),
    ['photos 111', 'photos2 7', '2.jpg 50', '10.jpg 5', 'photos 3', 'same 2', 'same 1'],
  )
})

t.test('a search finds files in every folder, whatever their case, in the order that is wanted', async (t) => {
  const find = (text: string, order = byName) => findFiles(files, text, order, 'en-US').map(({ name, size }) => [name, size])
  t.same(find('PHOTOS/'), [
    ['photos/c', 1],
    ['photos/day 1/a', 100],
    ['photos/day 1/b', 10],
  ])
  t.same(find('jpg', { by: 'size', descending: true }), [
    ['2.jpg', 50],
    ['10.jpg', 5],
  ])
  t.same(find('.'), [
    ['2.jpg', 50],
    ['10.jpg', 5],
  ])
  t.same(find('nothing'), [])
})

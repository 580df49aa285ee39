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

t.test('lists folders first with their totals, in natural order, and allows a file with the name of a folder', async (t) => {
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

t.test('lists only the content of the folder itself, not of folders whose names start the same', async (t) => {
  t.same(list('photos'), [
    ['folder', 'day 1', 110, 2],
    ['file', 'c', 1, 1],
  ])
  t.same(list('photos/day 1').length, 2)
  t.same(list('no such folder'), [])
})

t.test('sorts by size, largest first', async (t) => {
  t.same(
    list('', { by: 'size', descending: true }).map(([, name, size]) => `${name} ${size}`),
    ['photos 111', 'photos2 7', '2.jpg 50', '10.jpg 5', 'photos 3', 'same 2', 'same 1'],
  )
})

t.test('searches all folders regardless of case, and keeps the requested order', async (t) => {
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

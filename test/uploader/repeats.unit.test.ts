import t from 'tap'
import { matchFiles } from '../../uploader/journal.ts'
import { withoutNumber, withoutRepeats } from '../../uploader/repeats.ts'
import type { FileSource } from '../../uploader/types.ts'

const file = (name: string, size = 1, lastModified = 0): FileSource => ({ name, size, type: '', lastModified, slice: () => new Blob([]) })
const namesOf = (files: readonly FileSource[]) => files.map(({ name }) => name)

t.test('skips a file that the list has already', async (t) => {
  const first = withoutRepeats([], [file('a.txt'), file('b.txt'), file('a.txt')])
  t.same([namesOf(first.files), first.repeated], [['a.txt', 'b.txt'], 1])
  const second = withoutRepeats(first.files, [file('a.txt'), file('photos/a.txt')])
  t.same([namesOf(second.files), second.repeated], [['photos/a.txt'], 1])
})

t.test('numbers another file with the same name, also repeatedly', async (t) => {
  const list = withoutRepeats([], [file('a/b.tar'), file('a/b.tar', 2), file('a/b.tar', 1, 5), file('.profile'), file('.profile', 2)]).files
  t.same(namesOf(list), ['a/b.tar', 'a/b (1).tar', 'a/b (2).tar', '.profile', '.profile (1)'])
  t.equal(withoutRepeats(list, [file('a/b.tar', 2)]).repeated, 1, 'a numbered file is recognized')
  t.same(await list[1]!.slice(0, 1).text(), '')
})

t.test('finds the file behind a numbered name again', async (t) => {
  t.same(['a (1).txt', 'a.txt', 'a (12)', 'b/c (3).x'].map(withoutNumber), ['a.txt', 'a.txt', 'a', 'b/c.x'])
  const needed = { name: 'photos/a (1).txt', size: 2, lastModified: 7, fileId: 'x', done: false }
  const picked = file('a.txt', 2, 7)
  t.equal(matchFiles([needed], [picked]).found.get(needed), picked)
  t.equal(matchFiles([needed], [file('a.txt', 2, 8)]).found.size, 0)
})

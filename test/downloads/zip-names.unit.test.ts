import t from 'tap'
import { zipFileName, zipNames } from '../../src/downloads/zip/names.ts'

const one = (name: string) => zipNames([name])[0]!

// biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern matches control characters
const BAD = /[\u0000-\u001f\\:]|[. ]$|^nul(\.|$)|^$/i

function isSafe(segment: string): boolean {
  return !BAD.test(segment) && Buffer.byteLength(segment) <= 255 && segment.isWellFormed()
}

t.test('keeps ordinary names in their folders', async (t) => {
  const names = [
    'photos/a.jpg',
    'photos/2026/b.tar.gz',
    "a;b,c'd(e).txt",
    '100% [final] {v2}.pdf',
    'Ünïcödé 日本語 🐧.txt',
    '.profile',
    'a b',
    '-rf',
    '~',
    'عربي.pdf',
  ]
  t.same(zipNames(names), names)
})

t.test('keeps every path within the folder it is extracted into', async (t) => {
  const cases: Record<string, string> = {
    '/etc/passwd': 'etc/passwd',
    '../../evil.txt': 'evil.txt',
    'a/../../b': 'a/b',
    './a//b/.': 'a/b',
    '..\\..\\evil.txt': '.._.._evil.txt',
    'C:\\x.txt': 'C__x.txt',
    'C:x.txt': 'C_x.txt',
    '//server/share/x': 'server/share/x',
    'a\0b': 'a_b',
    'a\r\nb\u007f\u0085': 'a__b__',
    '.. /x': '_/x',
    '...': '_',
    '..': '_',
    '/': '_',
    '': '_',
  }
  for (const [name, safe] of Object.entries(cases)) t.equal(one(name), safe, JSON.stringify(name))
})

t.test('gives a name the same folder whatever name comes before it', async (t) => {
  t.same(zipNames(['a/', 'a/b', 'a/c', 'a/./d', 'a/./e', 'a/../f', 'a/../g', 'h/x', 'h/y/', 'h/y/z']), [
    ...['a (1)', 'a/b', 'a/c', 'a/d', 'a/e', 'a/f', 'a/g', 'h/x', 'h/y (1)', 'h/y/z'],
  ])
  const deep = `${'d'.repeat(200)}/`.repeat(17)
  t.same(
    zipNames([`${deep}a`, `${deep}b`, `${deep}${'c'.repeat(250)}`]).map((name) => name.length),
    [3418, 3418, 3466],
  )
})

t.test('replaces names that Windows cannot create', async (t) => {
  const cases: Record<string, string> = {
    CON: '_CON',
    'nul.txt': '_nul.txt',
    'dir/Aux.tar.gz': 'dir/_Aux.tar.gz',
    'lpt1/a': '_lpt1/a',
    'COM¹.log': '_COM¹.log',
    'con .txt': '_con .txt',
    'console.txt': 'console.txt',
    com10: 'com10',
    'x.': 'x',
    'x. . ': 'x',
    ' x': ' x',
    'folder./x': 'folder/x',
    'file.txt:stream': 'file.txt_stream',
    '"><img src=x onerror=alert(1)>.jpg': '___img src=x onerror=alert(1)_.jpg',
    'what?*|.txt': 'what___.txt',
  }
  for (const [name, safe] of Object.entries(cases)) t.equal(one(name), safe, JSON.stringify(name))
})

t.test('numbers duplicates in order, and keeps the name of the first', async (t) => {
  t.same(zipNames(['photo.jpg', 'photo.jpg', 'photo.jpg']), ['photo.jpg', 'photo (1).jpg', 'photo (2).jpg'])
  t.same(zipNames(['a/x.tar.gz', 'b/x.tar.gz', 'a/x.tar.gz']), ['a/x.tar.gz', 'b/x.tar.gz', 'a/x.tar (1).gz'])
  t.same(zipNames(['.profile', '.profile']), ['.profile', '.profile (1)'])
  t.same(zipNames(['Dr. Who', 'Dr. Who']), ['Dr. Who', 'Dr. Who (1)'])
})

t.test('never gives a duplicate the original name of another file', async (t) => {
  t.same(zipNames(['p.jpg', 'p.jpg', 'p (1).jpg', 'p.jpg']), ['p.jpg', 'p (2).jpg', 'p (1).jpg', 'p (3).jpg'])
})

t.test('treats names that differ only in case or Unicode form as duplicates', async (t) => {
  t.same(zipNames(['README', 'readme', 'Straße', 'STRASSE']), ['README', 'readme (1)', 'Straße', 'STRASSE (1)'])
  t.same(zipNames(['caf\u00e9', 'cafe\u0301']), ['caf\u00e9', 'cafe\u0301 (1)'])
  t.same(zipNames(['A/x', 'a/X']), ['A/x', 'a/X (1)'])
  t.same(zipNames(['x', 'x.', 'x ']), ['x', 'x (1)', 'x (2)'])
  t.same(zipNames(['a?', 'a*', '\ud800', '\ufffd']), ['a_', 'a_ (1)', '\ufffd', '\ufffd (1)'])
})

t.test("numbers a file with the name of another file's folder, in any order", async (t) => {
  t.same(zipNames(['a', 'A/b', 'c/d/e', 'c/d']), ['a (1)', 'A/b', 'c/d/e', 'c/d (1)'])
  t.same(zipNames(['a.b', 'a.b/c', 'a (1).b/c']), ['a (2).b', 'a.b/c', 'a (1).b/c'])
})

t.test('cuts names of 255 UTF-16 units to 255 bytes, with their extensions and apart from each other', async (t) => {
  const names = [
    `${'漢'.repeat(100)}.txt`,
    `${'あ'.repeat(250)}.pdf`,
    `${'👩‍👩‍👧'.repeat(30)}.jpg`,
    `${'я'.repeat(128)}/${'я'.repeat(128)}`,
  ]
  const safe = zipNames([...names, ...names])
  t.equal(new Set(safe).size, 8)
  for (const [index, name] of safe.entries()) {
    for (const segment of name.split('/')) t.ok(Buffer.byteLength(segment) <= 255 && segment.isWellFormed(), segment)
    t.equal(/\.\w+$/.exec(name)?.[0], /\.\w+$/.exec(names[index % 4]!)?.[0])
  }
})

t.test('names the zip itself validly on every system', async (t) => {
  t.equal(zipFileName('Trip / 2026', 'id'), 'Trip _ 2026.zip')
  t.equal(zipFileName('CON', 'id'), '_CON.zip')
  t.equal(zipFileName('nul.tar', 'id'), '_nul.tar.zip')
  t.equal(zipFileName('The end. . ', 'id'), 'The end.zip')
  t.equal(zipFileName('a:b?\u202egpj', 'id'), 'a_b_gpj.zip')
  t.equal(zipFileName('👩‍🚀'.repeat(100), 'id').length > 60, true)
  t.equal(zipFileName('x'.repeat(100), 'id'), `${'x'.repeat(60)}.zip`)
  for (const name of [null, '', ' . ']) t.equal(zipFileName(name, 'id'), 'id.zip')
})

t.test('limits every segment to 255 bytes, cut between characters, and keeps the extension', async (t) => {
  const long = one(`${'é'.repeat(300)}.jpeg/${'🐧'.repeat(100)}.jpeg`)
  t.equal(long, `${'é'.repeat(125)}.jpeg/${'🐧'.repeat(62)}.jpeg`)
  const name = `${'n'.repeat(251)}.txt`
  const [first, second] = zipNames([name, name])
  t.equal(first, name)
  t.match(second!, /^n+ \(1\)\.txt$/)
  t.ok(Buffer.byteLength(second!) <= 255)
})

t.test('drops the outermost folders of a path that is too long for any system', async (t) => {
  const safe = one(`${'folder/'.repeat(20_000)}file.txt`)
  t.ok(Buffer.byteLength(safe) <= 3_500)
  t.match(safe, /^(folder\/)+file\.txt$/)
})

t.test('returns safe, unique and deterministic names for any input', async (t) => {
  const parts = [
    'a',
    'A',
    'é',
    'e\u0301',
    '..',
    '.',
    '',
    '/',
    '\\',
    ' ',
    'nul',
    '.txt',
    ' (1)',
    '\u0001',
    ':',
    '🐧',
    '\ud800',
    'x'.repeat(200),
  ]
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 0x80000000
    return Math.floor((seed / 0x80000000) * below)
  }
  const names = Array.from({ length: 5_000 }, () => Array.from({ length: random(6) }, () => parts[random(parts.length)]).join(''))
  const safe = zipNames(names)
  t.same(zipNames(names), safe)
  t.equal(safe.length, names.length)
  const files = new Set(safe.map((name) => name.normalize('NFC').toLowerCase()))
  t.equal(files.size, names.length, 'unique')
  const folders = new Set<string>()
  for (const name of files) for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1)) folders.add(name.slice(0, at))
  t.same(
    [...folders].filter((folder) => files.has(folder)),
    [],
    'no file has the path of a folder',
  )
  const bad = safe.flatMap((name) => name.split('/')).filter((segment) => !isSafe(segment))
  t.same(bad, [])
})

t.test('takes linear time for 20,000 equal names, and for names that are cut to the same one', async (t) => {
  const equal = zipNames(Array<string>(20_000).fill('photo.jpg'))
  t.equal(equal.at(-1), 'photo (19999).jpg')
  const long = Array.from({ length: 20_000 }, (_, index) => `${'n'.repeat(245)}${String(index >> 1).padStart(5, '0')}.txt`)
  t.equal(new Set(zipNames(long)).size, 20_000)
})

import t from 'tap'
import { localPath } from '../../web/lib/local-path.ts'

const origin = 'https://files.example'

t.test('paths of this site are kept with all they hold', async (t) => {
  for (const path of ['/', '/share/abc', '/account/shares?page=2#x']) t.equal(localPath(path, origin), path)
})

t.test('whatever leads elsewhere is nothing', async (t) => {
  const elsewhere = [
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '\\\\evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '',
    'share',
    '///',
    '/.//evil.example/x',
    '/a/..//evil.example',
    '/%2e//evil.example',
    '/%2E%2e//evil.example',
    '/a/%2e%2e//evil.example',
    '/.\\/evil.example',
    '/./\t/evil.example',
    '/x?y=\\\\evil.example',
  ]
  for (const path of [null, ...elsewhere]) t.equal(localPath(path, origin), null, JSON.stringify(path))
})

t.test('every path that is kept is the same address when it is parsed again', async (t) => {
  const segments = ['', '.', '..', '%2e', '%2e%2e', 'a', '\\', '\t', 'evil.example', '?', '#', '@evil.example', ':80']
  for (const one of segments) {
    for (const two of segments) {
      for (const three of segments) {
        const path = localPath(`/${one}/${two}/${three}`, origin)
        if (path !== null) t.equal(new URL(path, origin).origin, origin, JSON.stringify([one, two, three]))
      }
    }
  }
})

t.test('dots lead nowhere else', async (t) => {
  t.equal(localPath('/../../x', origin), '/x')
})

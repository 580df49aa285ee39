import t from 'tap'
import { localPath } from '../../web/lib/local-path.ts'

const origin = 'https://files.example'

t.test('keeps paths of this site with query and fragment', async (t) => {
  for (const path of ['/', '/share/abc', '/account/shares?page=2#x']) t.equal(localPath(path, origin), path)
})

t.test('rejects everything that leads to another site', async (t) => {
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

t.test('returns paths that parse to the same address again', async (t) => {
  const offenders: string[] = []
  const segments = ['', '.', '..', '%2e', '%2e%2e', 'a', '\\', '\t', 'evil.example', '?', '#', '@evil.example', ':80']
  for (const one of segments) {
    for (const two of segments) {
      for (const three of segments) {
        const path = localPath(`/${one}/${two}/${three}`, origin)
        if (path !== null && new URL(path, origin).origin !== origin) offenders.push(JSON.stringify([one, two, three]))
      }
    }
  }
  t.same(offenders, [])
})

t.test('keeps paths with dots on this site', async (t) => {
  t.equal(localPath('/../../x', origin), '/x')
})

import t from 'tap'
import { localPath } from '../../web/local-path.ts'

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
  ]
  for (const path of [null, ...elsewhere]) t.equal(localPath(path, origin), null, JSON.stringify(path))
})

t.test('dots lead nowhere else', async (t) => {
  t.equal(localPath('/../../x', origin), '/x')
})

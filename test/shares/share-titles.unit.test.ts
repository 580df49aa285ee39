import t from 'tap'
import { shareTitle } from '../../src/share-titles.ts'
import { describedShare } from '../../src/shares/recipients/described-share.ts'
import { linkIn } from '../../web/pages/share/link-in.ts'

const texts = { text: 'Text', andMore: (name: string, count: number) => `${name} and ${count} more` }
const files = (firstFile: string | null, fileCount: number, name: string | null = null) => ({
  name,
  firstFile,
  fileCount,
  kind: 'files' as const,
})

t.test('calls a share by its name, else by its first file without folders', async (t) => {
  t.equal(shareTitle(files('a.txt', 3, 'Trip'), texts), 'Trip')
  t.equal(shareTitle(files('photos/IMG_2001.jpg', 2), texts), 'IMG_2001.jpg and 1 more')
  t.equal(shareTitle(files('a.txt', 1), texts), 'a.txt')
  t.equal(shareTitle(files(null, 0), texts), null)
  t.equal(shareTitle({ ...files('text.txt', 1), kind: 'text' }, texts), 'Text')
  t.equal(shareTitle({ ...files('a.txt', 2), kind: 'text' }, texts), 'a.txt and 1 more', 'files were added to the text')
  t.equal(shareTitle(files('a\u202egpj.exe', 1), texts), 'a[U+202E]gpj.exe', 'nothing is hidden')
})

t.test('describes a share for an email in the language of the site', async (t) => {
  t.same(describedShare('en-US', files('a.txt', 1), 999), { title: 'a.txt', files: '1 file', size: '999 B' })
  t.same(describedShare('de-DE', files('a.txt', 2, 'Dach'), 1_500_000), { title: 'Dach', files: '2 Dateien', size: '1,5 MB' })
  t.equal(describedShare('en-US', files('a.txt', 1), 999_960).size, '1 MB')
  t.equal(describedShare('en-US', files('a\nb\r\nBcc: eve@example.com', 1), 1).title, 'a b Bcc: eve@example.com', 'on one line')
})

t.test('follows only http and https links without a user name', async (t) => {
  t.equal(linkIn(' https://example.com/a?b=c#d \n')?.href, 'https://example.com/a?b=c#d')
  for (const text of [
    'javascript:alert(1)',
    'data:text/html,x',
    'https://bank.example@evil.example/',
    'see https://example.com',
    'http://',
    '',
  ]) {
    t.equal(linkIn(text), null, text)
  }
})

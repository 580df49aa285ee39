import t from 'tap'
import { oldLinkOf } from '../../src/downloads/old-links/patterns.ts'

const link = (address: string, opens: string, path = '', inline = false) => ({ address, opens, path, inline })

t.test('reads the links of other products', async (t) => {
  const links = {
    '/d?id=abc': link('gokapi:abc', 'page'),
    '/d/abc/a%20b.txt': link('gokapi:abc', 'page'),
    '/downloadFile?id=abc': link('gokapi:abc', 'bytes'),
    '/dh/abc/a.txt': link('gokapi:abc', 'bytes', '', true),
    '/h/abc.png': link('gokapi-hotlink:abc.png', 'bytes', '', true),
    '/hotlink/abc.png': link('gokapi-hotlink:abc.png', 'bytes', '', true),
    '/publicUpload?id=abc&key=k': link('gokapi-request:abc:k', 'upload'),
    '/share/abc/a%20folder/': link('filebrowser:abc', 'page', 'a folder'),
    '/public/share/abc': link('filebrowser:abc', 'page'),
    '/api/public/dl/abc/a/b%C3%A9.txt?inline=true': link('filebrowser:abc', 'bytes', 'a/bé.txt', true),
    '/public/api/raw?hash=abc&path=/a/b.txt': link('filebrowser:abc', 'bytes', 'a/b.txt'),
    '/public/api/resources/download?hash=abc&file=/100%25.txt': link('filebrowser:abc', 'bytes', '100%.txt'),
    '/public/api/raw?hash=abc&files=a&files=b': link('filebrowser:abc', 'bytes'),
    '/r/inbox': link('palmr:inbox', 'upload'),
    '/e/abc': link('palmr-file:abc', 'bytes', '', true),
  }
  for (const [url, expected] of Object.entries(links)) t.same(oldLinkOf(url), expected, url)
})

t.test('ignores other and malformed links', async (t) => {
  const urls = [
    '/',
    '/d',
    '/d?id=',
    '/downloadFile?id=%00',
    '/d/%ff/x',
    '/e/%00',
    '/share',
    '/public/api/raw',
    `/e/${'a'.repeat(3000)}`,
    '/api/shares/abc',
  ]
  for (const url of urls) t.equal(oldLinkOf(url), null, url)
})

import t from 'tap'
import { piecesOf } from '../../web/lib/linked-text.ts'

const linksIn = (text: string) => {
  const pieces = piecesOf(text)
  t.equal(pieces.map((piece) => piece.text).join(''), text, 'no character is lost')
  return pieces.filter(({ isLink }) => isLink).map((piece) => piece.text)
}

t.test('finds addresses without the punctuation around them', async (t) => {
  const texts: Record<string, string[]> = {
    'See https://example.org/a?b=1#c, or (http://example.org/x_(y)).': ['https://example.org/a?b=1#c', 'http://example.org/x_(y)'],
    'HTTPS://EXAMPLE.ORG!': ['HTTPS://EXAMPLE.ORG'],
    '“https://example.org/é”': ['https://example.org/é'],
    'https://a.example\nhttps://b.example': ['https://a.example', 'https://b.example'],
    'no address': [],
    '': [],
  }
  for (const [text, links] of Object.entries(texts)) t.same(linksIn(text), links, text)
})

t.test('makes no link of other schemes or hidden characters', async (t) => {
  for (const text of ['javascript:alert(1)', 'data:text/html,x', 'ftp://example.org', 'https://', 'http://?'])
    t.same(linksIn(text), [], text)
  t.same(linksIn('https://example.org/\u202egpj.exe'), ['https://example.org/'])
  t.same(linksIn('<a href="https://example.org/">'), ['https://example.org/'])
})

t.test('splits the longest note quickly', async (t) => {
  const start = Date.now()
  piecesOf('https://'.repeat(125) + ')'.repeat(1000))
  t.ok(Date.now() - start < 100)
})

import t from 'tap'
import { footerItems } from '../../web/lib/footer.ts'

t.test('reads texts and links, one a line', async (t) => {
  t.same(footerItems('Team Files, Bergen\n\n Imprint  https://example.org/imprint \nhttps://example.org/privacy'), [
    { text: 'Team Files, Bergen', href: null },
    { text: 'Imprint', href: 'https://example.org/imprint' },
    { text: 'https://example.org/privacy', href: 'https://example.org/privacy' },
  ])
  t.same(footerItems(' \n'), [])
})

t.test('links only http and https', async (t) => {
  const lines = ['Imprint javascript:alert(1)', 'Imprint ftp://example.org', 'Imprint https://']
  t.same(
    lines.flatMap(footerItems),
    lines.map((text) => ({ text, href: null })),
  )
})

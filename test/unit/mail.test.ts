import t from 'tap'
import { htmlOf } from '../../src/mail/html.ts'
import { connectionOptions, type Smtp } from '../../src/mail/smtp.ts'

const smtp: Smtp = {
  host: 'mail.example.com',
  port: 587,
  tls: 'auto',
  allowUnauthorizedCertificates: false,
  login: null,
  from: { name: 'Files', address: 'files@example.com' },
}

t.test('TLS by port, unless the administrator wants it otherwise', async (t) => {
  for (const [tls, port, expected] of [
    ['auto', 465, { secure: true, requireTLS: false, ignoreTLS: false }],
    ['auto', 587, { secure: false, requireTLS: false, ignoreTLS: false }],
    ['auto', 25, { secure: false, requireTLS: false, ignoreTLS: false }],
    ['implicit', 587, { secure: true, requireTLS: false, ignoreTLS: false }],
    ['starttls', 465, { secure: false, requireTLS: true, ignoreTLS: false }],
    ['none', 465, { secure: false, requireTLS: false, ignoreTLS: true }],
  ] as const) {
    t.match(connectionOptions({ ...smtp, tls, port }), expected, `${tls} on ${port}`)
  }
  t.match(connectionOptions(smtp), { tls: { rejectUnauthorized: true } })
  t.match(connectionOptions({ ...smtp, allowUnauthorizedCertificates: true }), { tls: { rejectUnauthorized: false } })
})

t.test('a text as HTML', async (t) => {
  const body = (text: string) => /<body[^>]*>(.*)<\/body>/s.exec(htmlOf(text))![1]!.replace(/ style="[^"]*"/g, '')
  t.equal(body('One\ntwo\n\nthree & <b>'), '<p>One<br>two</p><p>three &amp; &lt;b&gt;</p>')
  t.equal(
    body('See https://x.example/a?b=1&c=2.'),
    '<p>See <a href="https://x.example/a?b=1&amp;c=2">https://x.example/a?b=1&amp;c=2</a>.</p>',
  )
  t.equal(
    body('(http://x.example/s/a_b), http://y.example'),
    '<p>(<a href="http://x.example/s/a_b">http://x.example/s/a_b</a>), <a href="http://y.example">http://y.example</a></p>',
  )
  t.equal(
    body('javascript:alert(1) https://x.example/"onclick="x'),
    '<p>javascript:alert(1) <a href="https://x.example/">https://x.example/</a>&quot;onclick=&quot;x</p>',
  )
})

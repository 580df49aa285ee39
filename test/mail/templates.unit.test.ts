import t from 'tap'
import { mailHtml } from '../../src/mail/html.ts'
import { connectionOptions, type Smtp } from '../../src/mail/smtp.ts'

const smtp: Smtp = {
  host: 'mail.example.com',
  port: 587,
  tls: 'auto',
  allowUnauthorizedCertificates: false,
  login: null,
  from: { name: 'Files', address: 'files@example.com' },
  clientName: null,
}

t.test('chooses TLS by port, or as configured', async (t) => {
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

t.test('converts text to HTML', async (t) => {
  const whole = (text: string) => mailHtml(text, 'Files & <more>').replace(/ style="[^"]*"/g, '')
  const body = (text: string) => /<div class="card">(.*)<\/div><\/div><\/body>/s.exec(whole(text))![1]!
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
  t.equal(
    body('Here:\n\nhttps://x.example/s/1\n\nBye'),
    '<p>Here:</p><p><a href="https://x.example/s/1" class="button">https://x.example/s/1</a></p><p>Bye</p>',
    'an address on its own line becomes the button',
  )
  t.match(
    whole('Hello'),
    '<div dir="auto"><p><bdi>Files &amp; &lt;more&gt;</bdi></p><div class="card"><p>Hello</p>',
    "the sender's name stands above, also escaped, and does not decide the direction",
  )
})

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { storeSetting } from '../../src/config/queries.ts'
import type { Context } from '../../src/context.ts'

/** An email as a mail server received it. */
export interface Received {
  from: string
  to: string[]
  /** By lower-case name, unfolded. */
  headers: Record<string, string>
  text: string
  html: string
  /** Whether it arrived over TLS. */
  secure: boolean
  user: string | null
  /** The name in the client's EHLO. */
  clientName: string
}

interface MailServer {
  port: number
  received: Received[]
  stop(): Promise<void>
}

interface Options {
  tls?: 'none' | 'starttls' | 'implicit'
  login?: { user: string; pass: string }
  port?: number
  /** Its reply to a recipient, such as `550 no such user`. */
  refuseRecipient?: string
  /** The recipients it refuses that way. Default: all. It may change while the server runs. */
  refused?: ReadonlySet<string>
  /** Does not offer SMTPUTF8. */
  asciiOnly?: boolean
  /** Its reply to every sender, such as `550 not yours`. */
  refuseSender?: string
  /** Its reply to every whole message, such as `550 not yours`. */
  refuseMessage?: string
  /** Cuts the connection after the whole message, without a reply. */
  cutAfterBody?: boolean
}

/** A real mail server on this machine with a self-signed certificate, until the test ends. */
export async function mailServer(t: { teardown(work: () => unknown): void }, options: Options = {}): Promise<MailServer> {
  const received: Received[] = []
  const server: SMTPServer = new SMTPServer(serverOptions(options, received, cutAll))
  function cutAll(): void {
    for (const connection of server.connections) connection.close()
  }
  server.on('error', () => {}) // a client that rejects the certificate
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server.server, 'listening')
  let open = true
  const stop = async () => {
    if (!open) return
    open = false
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  t.teardown(stop)
  return { port: (server.server.address() as AddressInfo).port, received, stop }
}

function serverOptions(
  { tls = 'none', login, refuseRecipient, refused, asciiOnly, refuseSender, refuseMessage, cutAfterBody }: Options,
  received: Received[],
  cutAll: () => void,
): SMTPServerOptions {
  return {
    secure: tls === 'implicit',
    disabledCommands: tls === 'starttls' ? [] : ['STARTTLS'],
    authOptional: !login,
    hideSMTPUTF8: asciiOnly === true,
    allowInsecureAuth: true,
    closeTimeout: 500,
    onAuth(auth, _session, done) {
      if (auth.username === login?.user && auth.password === login?.pass) return done(null, { user: auth.username })
      done(Object.assign(new Error('5.7.8 These credentials are not ours'), { responseCode: 535 }))
    },
    onRcptTo({ address }, _session, done) {
      if (!refuseRecipient || refused?.has(address) === false) return done()
      done(smtpError(refuseRecipient))
    },
    onMailFrom(_sender, _session, done) {
      done(refuseSender ? smtpError(refuseSender) : null)
    },
    async onData(stream, session, done) {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk)
      const { mailFrom, rcptTo } = session.envelope
      received.push({
        ...parts(Buffer.concat(chunks).toString('latin1')),
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        secure: session.secure,
        clientName: session.hostNameAppearsAs || '',
        user: typeof session.user === 'string' ? session.user : null,
      })
      if (cutAfterBody) return cutAll()
      done(refuseMessage ? smtpError(refuseMessage) : null)
    },
  }
}

function smtpError(reply: string): Error {
  const [code = '', ...words] = reply.split(' ')
  return Object.assign(new Error(words.join(' ')), { responseCode: Number(code) })
}

/** Headers and both bodies of a message in plain text and HTML. */
function parts(raw: string): Pick<Received, 'headers' | 'text' | 'html'> {
  const [head, body] = split(raw)
  const headers = headersIn(head)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1]
  const bodies = Object.fromEntries(
    body
      .split(`--${boundary}`)
      .slice(1, -1)
      .map((part) => {
        const [partHead, content] = split(part.replace(/^\r\n/, ''))
        const { 'content-type': type = '', 'content-transfer-encoding': encoding = '' } = headersIn(partHead)
        return [type.split(';')[0], decoded(content, encoding)]
      }),
  )
  return { headers, text: bodies['text/plain'] ?? '', html: bodies['text/html'] ?? '' }
}

function split(text: string): [head: string, body: string] {
  const at = text.indexOf('\r\n\r\n')
  return [text.slice(0, at), text.slice(at + 4)]
}

function headersIn(head: string): Record<string, string> {
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
}

function decoded(content: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(content, 'base64').toString()
  if (encoding !== 'quoted-printable') return content.trimEnd().replaceAll('\r\n', '\n')
  const bytes = content.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString().trimEnd().replaceAll('\r\n', '\n')
}

/** Turns email on, as an administrator does. `more` overrides single settings. */
export async function switchMailOn(ctx: Context, port: number, more: Record<string, unknown> = {}): Promise<void> {
  const settings = { enabled: true, host: '127.0.0.1', port, email: 'razorbill@example.com', ...more }
  for (const [name, value] of Object.entries(settings)) {
    await storeSetting(ctx.db, `smtp.${name}`, name === 'password' ? ctx.sealer.seal(String(value)) : value, ctx.now())
  }
}

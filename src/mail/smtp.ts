import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import { htmlOf } from './html.ts'

/** How to reach the mail server, and as whom. */
export interface Smtp {
  host: string
  port: number
  /** `auto`: TLS at once on port 465 (RFC 8314), else STARTTLS where the server offers it. `none`: in clear. */
  tls: 'auto' | 'starttls' | 'implicit' | 'none'
  allowUnauthorizedCertificates: boolean
  /** null: without signing in. */
  login: { user: string; pass: string } | null
  from: { name: string; address: string }
}

export interface Message {
  /** Unique for ever: it makes the Message-ID. */
  id: string
  to: string
  subject: string
  text: string
}

/**
 * An e-mail did not go; `message` has the server's own words. `later`: nothing was sent, and it may work another time. `refused`: it never will.
 * `uncertain`: the connection broke while the message was on its way, so that the server may have taken it.
 */
export class MailError extends Error {
  readonly kind: 'later' | 'refused' | 'uncertain'
  constructor(kind: MailError['kind'], cause: Error) {
    super(cause.message.replace(/\s+/g, ' ').trim().slice(0, 1000), { cause })
    this.kind = kind
  }
}

const connectTime = 15_000 // ms
const silence = 60_000 // ms
const wholeTime = 240_000 // ms

/**
 * Hands one message to the mail server, on a connection of its own. Throws MailError, after 4 minutes at most. When `stopping` aborts it gives up at once,
 * unless the message is on its way already.
 */
export async function deliver(smtp: Smtp, message: Message, stopping?: AbortSignal): Promise<void> {
  const mail = await compose(smtp, message)
  const connection = new SMTPConnection(connectionOptions(smtp))
  const onItsWay = { begun: false }
  let failed: (error: Error) => void = () => {}
  const failure = new Promise<never>((_, reject) => {
    failed = reject
  })
  failure.catch(() => {})
  connection.on('error', failed)
  const giveUp = () => void (onItsWay.begun || failed(new Error('The worker stopped')))
  stopping?.addEventListener('abort', giveUp)
  const late = setTimeout(() => failed(new Error('The mail server took too long')), wholeTime)
  try {
    await Promise.race([converse(connection, smtp, message.to, bodyOf(mail, onItsWay)), failure])
    connection.quit()
  } catch (error) {
    connection.close()
    throw new MailError(kindOf(error as SmtpFailure, onItsWay.begun), error as Error)
  } finally {
    clearTimeout(late)
    stopping?.removeEventListener('abort', giveUp)
  }
}

async function converse(connection: SMTPConnection, { login, from }: Smtp, to: string, body: Readable): Promise<void> {
  await step((done) => connection.connect(done))
  if (login && connection.allowsAuth) await step((done) => connection.login(login, done))
  await step((done) => connection.send({ from: from.address, to: [to] }, body, done))
}

function step(start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())))
}

/** The server asks for the body when it has accepted sender and recipient: from then on it may have the message, whatever happens. */
function bodyOf(mail: Buffer, onItsWay: { begun: boolean }): Readable {
  return new Readable({
    read() {
      onItsWay.begun = true
      this.push(mail)
      this.push(null)
    },
  })
}

interface SmtpFailure extends Error {
  code?: string
  responseCode?: number
}

/** A wrong password is the administrator's to mend: the message waits. */
function kindOf({ code, responseCode }: SmtpFailure, begun: boolean): MailError['kind'] {
  if (code === 'EAUTH') return 'later'
  if (responseCode) return responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE') ? 'refused' : 'later'
  return begun ? 'uncertain' : 'later'
}

/** What the connection is told; see `Smtp.tls`. */
export function connectionOptions({ host, port, tls, allowUnauthorizedCertificates }: Smtp): SMTPConnectionOptions {
  return {
    host,
    port,
    secure: tls === 'implicit' || (tls === 'auto' && port === 465),
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    tls: { rejectUnauthorized: !allowUnauthorizedCertificates },
    connectionTimeout: connectTime,
    greetingTimeout: connectTime,
    dnsTimeout: connectTime,
    socketTimeout: silence,
    allowInternalNetworkInterfaces: true,
  }
}

/** The message as MIME (RFC 2046), in plain text and as HTML; marked as sent by a program (RFC 3834), so that no absence note comes back. */
function compose({ from }: Smtp, { id, to, subject, text }: Message): Promise<Buffer> {
  const domain = from.address.split('@')[1]!
  const composer = new MailComposer({
    from,
    to: { name: '', address: to },
    subject,
    text,
    html: htmlOf(text, from.name || from.address),
    messageId: `<${id}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return new Promise((resolve, reject) => composer.compile().build((error, mail) => (mail ? resolve(mail) : reject(error))))
}

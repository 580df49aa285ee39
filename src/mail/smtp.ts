import { Readable } from 'node:stream'
import { domainToASCII } from 'node:url'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import { emailFormat } from '../http/formats.ts'
import { mailHtml } from './html.ts'

/** How to connect to the mail server, and the sender's address. */
export interface Smtp {
  host: string
  port: number
  /**
   * `auto`: implicit TLS on port 465 (RFC 8314), otherwise STARTTLS if the server offers it.
   * `none`: unencrypted.
   */
  tls: 'auto' | 'starttls' | 'implicit' | 'none'
  allowUnauthorizedCertificates: boolean
  /** null: no authentication. */
  login: { user: string; pass: string } | null
  from: { name: string; address: string }
  /** The name of this installation's host for EHLO; null if it has none. */
  clientName: string | null
}

export interface Message {
  /** Becomes the Message-ID, so it must be globally unique. */
  id: string
  to: string
  /** The address that gets the replies; null for the sender's. */
  replyTo?: string | null
  subject: string
  text: string
  /** The label of the button that opens the message's link; without it, the link itself. */
  button?: string
}

/**
 * An email could not be sent; `message` is the server's response.
 * `later`: nothing was sent, and another attempt may succeed. `refused`: no attempt will succeed.
 * `uncertain`: the connection broke while the message was sent, so the server may have accepted it.
 */
export class MailError extends Error {
  readonly kind: 'later' | 'refused' | 'uncertain'
  constructor(kind: MailError['kind'], cause: Error) {
    super(cause.message.replace(/\s+/g, ' ').trim().slice(0, 1000), { cause })
    this.kind = kind
  }
}

const connectTimeout = 15_000 // ms
const idleTimeout = 60_000 // ms
const totalTimeout = 240_000 // ms

/**
 * Sends one message over a new connection, in at most 4 minutes.
 * Stops at once when `stopping` aborts, unless sending the message has already begun.
 * @throws {MailError} when the server refuses the message, or the connection fails
 */
export async function deliver(smtp: Smtp, message: Message, stopping?: AbortSignal): Promise<void> {
  const mail = await compose(smtp, message)
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const connection = new Connection(connectionOptions(smtp))
  const sending = { begun: false }
  let fail: (error: Error) => void = () => {}
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  failure.catch(() => {})
  connection.on('error', fail)
  const stop = () => void (sending.begun || fail(new Error('The worker stopped')))
  stopping?.addEventListener('abort', stop)
  const timer = setTimeout(() => fail(new Error('The mail server took too long')), totalTimeout)
  try {
    await Promise.race([send(connection, smtp, message.to, bodyOf(mail, sending)), failure])
    connection.quit()
  } catch (error) {
    connection.close()
    throw new MailError(kindOf(error as SmtpFailure, sending.begun), explained(error as SmtpFailure, smtp))
  } finally {
    clearTimeout(timer)
    stopping?.removeEventListener('abort', stop)
  }
}

async function send(connection: SMTPConnection, { login, from }: Smtp, to: string, body: Readable): Promise<void> {
  await step((done) => connection.connect(done))
  const offers = String(connection.lastServerResponse) // the reply to EHLO
  if (login && connection.allowsAuth) await step((done) => connection.login(login, done))
  const envelope = { from: asciiDomain(from.address), to: asciiDomain(to) }
  for (const address of Object.values(envelope)) requireAscii(offers, address)
  await step((done) => connection.send({ from: envelope.from, to: [envelope.to] }, body, done))
}

/** Returns an address with its domain in ASCII (RFC 5891), which every mail server understands. */
function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1
  const domain = address.slice(at)
  return /^[\x20-\x7e]*$/.test(domain) ? address : `${address.slice(0, at)}${domainToASCII(domain) || domain}`
}

/**
 * Refuses an address that this mail server can't take, instead of sending it damaged (RFC 6531).
 */
function requireAscii(offers: string, address: string): void {
  if (/^[\x20-\x7e]*$/.test(address) || /[ -]SMTPUTF8\b/i.test(offers)) return
  const words = `The mail server does not support addresses with letters such as ü or é before the @ (SMTPUTF8): ${address}`
  throw Object.assign(new Error(words), { code: 'EENVELOPE', responseCode: 553 })
}

function step(start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())))
}

/**
 * The connection reads the body once the server has accepted sender and recipient.
 * From then on the server may accept the message, whatever happens here.
 */
function bodyOf(mail: Buffer, sending: { begun: boolean }): Readable {
  return new Readable({
    read() {
      sending.begun = true
      this.push(mail)
      this.push(null)
    },
  })
}

interface SmtpFailure extends Error {
  code?: string
  command?: string
  responseCode?: number
}

/** Authentication failures are `later`: an administrator can fix the settings. */
function kindOf({ code, responseCode }: SmtpFailure, begun: boolean): MailError['kind'] {
  if (code === 'EAUTH') return 'later'
  if (responseCode) return responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE') ? 'refused' : 'later'
  return begun ? 'uncertain' : 'later'
}

/**
 * Returns the error in words that name the setting to change, where the mail server's own words
 * don't.
 */
function explained(error: SmtpFailure, { port, from, login }: Smtp): Error {
  const { message, code, command } = error
  const because = (words: string) => new Error(`${words} (${message})`, { cause: error })
  if (/wrong version number|packet length too long|unexpected message|http request/i.test(message)) {
    return because(`Port ${port} does not start with TLS. Choose STARTTLS, or the port for TLS, usually 465`)
  }
  if (/greeting/i.test(message))
    return because(`Port ${port} does not greet. It may start with TLS: choose TLS, or the port for STARTTLS, usually 587`)
  if (isSenderRefused({ message, code, command })) {
    const account = login && emailFormat.test(login.user) && login.user !== from.address ? login.user : 'the account’s own'
    return because(`The mail server does not accept the sender ${from.address}. Use an address that it allows, such as ${account}`)
  }
  return error
}

/** Servers refuse a sender in the envelope, or in the header of the whole message. */
function isSenderRefused({ message, code, command }: Pick<SmtpFailure, 'message' | 'code' | 'command'>): boolean {
  if (code === 'EENVELOPE') return command === 'MAIL FROM'
  return code === 'EMESSAGE' && /\b(from|sender)\b/i.test(message)
}

/** Returns the options for nodemailer's connection. */
export function connectionOptions({ host, port, tls, allowUnauthorizedCertificates, clientName }: Smtp): SMTPConnectionOptions {
  return {
    host,
    port,
    ...(clientName !== null && { name: clientName }),
    secure: tls === 'implicit' || (tls === 'auto' && port === 465),
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    tls: { rejectUnauthorized: !allowUnauthorizedCertificates },
    connectionTimeout: connectTimeout,
    greetingTimeout: connectTimeout,
    dnsTimeout: connectTimeout,
    socketTimeout: idleTimeout,
    allowInternalNetworkInterfaces: true,
  }
}

/**
 * Composes a MIME message (RFC 2046) with plain text and HTML.
 * `Auto-Submitted` (RFC 3834) prevents automatic replies such as absence notes.
 */
async function compose({ from }: Smtp, { id, to, replyTo, subject, text, button }: Message): Promise<Buffer> {
  const domain = asciiDomain(from.address).slice(from.address.lastIndexOf('@') + 1)
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer') // loaded with the first mail
  const composer = new MailComposer({
    from,
    to: { name: '', address: to },
    ...(replyTo && { replyTo: { name: '', address: replyTo } }),
    subject,
    text,
    html: mailHtml(text, from.name || from.address, button),
    messageId: `<${id}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return new Promise((resolve, reject) => composer.compile().build((error, mail) => (mail ? resolve(mail) : reject(error))))
}

import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import type { QueuePlace } from '../queue/queue.ts'
import { insertMail } from './queries.ts'
import { type FixedMail, type MailKind, type MailTo, type Rendered, render, type SiteTexts } from './templates.ts'

/** Milliseconds before the clean-up queues a new email that its own job has not sent. */
const headStart = 30_000

/**
 * Renders an email and stores it, with `footer` below the text of the template. The body is
 * encrypted, because links in it can be secrets. Returns its id for `enqueueWrittenMails`, to be
 * called after the commit. If the process dies in between, the clean-up queues the email.
 */
export async function writeMail<K extends MailKind>(
  { db, sealer, now }: Pick<Context, 'sealer' | 'now'> & { db: Db },
  texts: SiteTexts,
  { shareId, replyTo, footer, ...mail }: MailTo<K> & { shareId?: string; replyTo?: string | null; footer?: string },
): Promise<string> {
  const { text, ...rendered } = render(texts, mail)
  const whole = footer ? `${text.trimEnd()}\n\n${footer}` : text
  return storeMail({ db, sealer, now }, { kind: mail.kind, to: mail.to, shareId, replyTo, ...rendered, text: whole })
}

interface RenderedMail extends Omit<Rendered, 'language'> {
  /** Absent: that of the site. */
  language?: string
  kind: MailKind | FixedMail | 'securityNotice'
  to: string
  shareId?: string | undefined
  /** The address that gets the replies; without it, the site's. */
  replyTo?: string | null | undefined
  /** The link that the email has a code for. */
  linkUid?: string
  /** When it is no longer sent. */
  expiresAt?: Date
}

/** Stores a rendered email like `writeMail`, and returns its id. */
export async function storeMail(
  { db, sealer, now }: Pick<Context, 'sealer' | 'now'> & { db: Db },
  { kind, to, subject, text, language, shareId, replyTo, linkUid, expiresAt }: RenderedMail,
): Promise<string> {
  const id = randomUUID()
  const createdAt = now()
  await insertMail(db, {
    id,
    kind,
    recipient: to,
    subject,
    body: sealer.seal(text),
    shareId: shareId ?? null,
    replyTo: replyTo ?? null,
    linkUid: linkUid ?? null,
    expiresAt: expiresAt ?? null,
    language: language ?? null,
    createdAt,
    dueAt: new Date(createdAt.getTime() + headStart),
  })
  return id
}

/**
 * Adds one job per stored email to the queue, before or after the waiting ones. Call it after the
 * commit. All are added at once, so an unreachable queue delays the caller only once.
 */
export async function enqueueWrittenMails(
  { queue }: Pick<Context, 'queue'>,
  ids: readonly string[],
  place: QueuePlace = 'last',
): Promise<void> {
  await Promise.all(ids.map((mailId) => queue.add('send-mail', { mailId }, `mail-${mailId}`, place)))
}

import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { insertMail } from './queries.ts'
import { type MailKind, type MailTo, render, type SiteTexts } from './templates.ts'

/** How long the clean-up leaves a new e-mail to the job that was handed in for it, in ms. */
const headStart = 30_000

/**
 * Writes an e-mail down, to be sent when the transaction of `db` has ended: then call `enqueueWrittenMails` with the id that this answers. (Whoever dies in between
 * leaves it to the clean-up.) `texts` are the settings. The body is sealed: links in it may be secrets.
 */
export async function writeMail<K extends MailKind>(
  { db, sealer, now }: Pick<Context, 'sealer' | 'now'> & { db: Db },
  texts: SiteTexts,
  mail: MailTo<K> & { shareId?: string },
): Promise<string> {
  return storeMail({ db, sealer, now }, { kind: mail.kind, to: mail.to, shareId: mail.shareId, ...render(texts, mail) })
}

interface RenderedMail {
  kind: MailKind | 'securityNotice'
  to: string
  subject: string
  text: string
  shareId?: string | undefined
}

/** Writes a rendered email down, as `writeMail` does. */
export async function storeMail(
  { db, sealer, now }: Pick<Context, 'sealer' | 'now'> & { db: Db },
  { kind, to, subject, text, shareId }: RenderedMail,
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
    createdAt,
    dueAt: new Date(createdAt.getTime() + headStart),
  })
  return id
}

/** Hands written e-mails in, one job each, all at once: a queue that is away is waited for once. After the commit. */
export async function enqueueWrittenMails({ queue }: Pick<Context, 'queue'>, ids: string[]): Promise<void> {
  await Promise.all(ids.map((mailId) => queue.add('send-mail', { mailId }, `mail-${mailId}`)))
}

/** Writes an e-mail down and hands it in: for callers without a transaction. */
export async function queueMail<K extends MailKind>(
  ctx: Pick<Context, 'db' | 'sealer' | 'now' | 'queue'>,
  texts: SiteTexts,
  mail: MailTo<K> & { shareId?: string },
): Promise<void> {
  await enqueueWrittenMails(ctx, [await writeMail(ctx, texts, mail)])
}

import { UnrecoverableError } from 'bullmq'
import { readSmtp } from '../src/config/mail-server.ts'
import { readSettings } from '../src/config/service.ts'
import type { Context } from '../src/context.ts'
import { placeholderFor } from '../src/mail/default-texts.ts'
import {
  claimDueMails,
  claimMail,
  deleteExpiredMails,
  deleteOldMails,
  failInterrupted,
  markFailed,
  markSent,
  markWaiting,
} from '../src/mail/queries.ts'
import { enqueueWrittenMails } from '../src/mail/service.ts'
import { deliver, MailError } from '../src/mail/smtp.ts'
import type { Jobs } from '../src/queue/jobs.ts'

type Tools = Pick<Context, 'db' | 'env' | 'sealer' | 'log' | 'now'>
type Mail = NonNullable<Awaited<ReturnType<typeof claimMail>>>

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const FIRST_DELAY = 15_000 // ms; doubled after each attempt
const MAX_DELAY = 15 * MINUTE
const GIVE_UP_AFTER = 3 * DAY
/** Longer than any delivery takes. */
const INTERRUPTED_AFTER = 10 * MINUTE
const RETENTION = 30 * DAY

/**
 * Sends one email if it is still waiting. A claim in the row ensures that only one worker sends it.
 * While the mail server is unavailable or email is turned off, it waits up to three days for the
 * clean-up to retry it. It fails when the server refuses it, or when the connection breaks during
 * delivery: it may have arrived, so it is not sent twice.
 */
export async function sendMail(ctx: Tools, { mailId }: Jobs['send-mail'], stopping?: AbortSignal): Promise<void> {
  // Nothing may fail between the claim and the delivery except the delivery: a claimed email counts
  // as maybe sent.
  const settings = await readSettings(ctx)
  const smtp = await readSmtp(ctx, settings)
  const mail = await claimMail(ctx.db, mailId, ctx.now())
  if (!mail) return
  if (!smtp) return wait(ctx, mail, 'Email is turned off')
  const text = decrypt(ctx, mail)
  if (text === null) return fail(ctx, mail, 'The email cannot be decrypted with this SECRET_KEY')
  try {
    const button = placeholderFor(mail.language ?? settings['general.language'], `button.${mail.kind}`)
    const { id, recipient: to, replyTo, subject } = mail
    await deliver(smtp, { id, to, replyTo, subject, text, button }, stopping)
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    if (error.kind === 'later') return wait(ctx, mail, error.message)
    return fail(ctx, mail, error.kind === 'refused' ? error.message : `${error.message} (during delivery; it may have arrived)`)
  }
  await markSent(ctx.db, mail.id, ctx.now())
}

function decrypt({ sealer }: Tools, { body }: Mail): string | null {
  try {
    return body === null ? null : sealer.open(body)
  } catch {
    return null
  }
}

async function wait(ctx: Tools, mail: Mail, reason: string): Promise<void> {
  const now = ctx.now().getTime()
  if (now - mail.createdAt.getTime() >= GIVE_UP_AFTER) return fail(ctx, mail, reason)
  const delay = Math.min(MAX_DELAY, FIRST_DELAY * 2 ** Math.min(mail.attempts - 1, 10))
  ctx.log.warn({ mailId: mail.id, reason, attempts: mail.attempts }, 'email could not be sent; retrying later')
  await markWaiting(ctx.db, mail.id, reason, new Date(now + delay))
}

async function fail(ctx: Tools, mail: Mail, reason: string): Promise<never> {
  await markFailed(ctx.db, mail.id, reason)
  throw new UnrecoverableError(reason)
}

/** Adds jobs for up to `limit` waiting emails that are due, and returns their number. */
export async function enqueueMails({ db, queue, now }: Pick<Context, 'db' | 'queue' | 'now'>, limit: number): Promise<number> {
  const time = now()
  const due = await claimDueMails(db, { now: time, next: new Date(time.getTime() + 5 * MINUTE), limit })
  const idsOf = (mails: typeof due) => mails.map(({ id }) => id)
  const isUrgent = ({ expiresAt }: (typeof due)[number]) => expiresAt !== null
  await enqueueWrittenMails({ queue }, idsOf(due.filter(isUrgent)), 'first')
  await enqueueWrittenMails({ queue }, idsOf(due.filter((mail) => !isUrgent(mail))))
  return due.length
}

/** Marks emails as failed whose worker died during delivery. */
export async function failInterruptedMails({ db, now, log }: Pick<Context, 'db' | 'now' | 'log'>): Promise<void> {
  const before = new Date(now().getTime() - INTERRUPTED_AFTER)
  const count = await failInterrupted(db, before, 'The worker stopped during delivery; it may have arrived')
  if (count > 0) log.error({ count }, 'email delivery was interrupted')
}

/** Deletes up to `limit` emails whose codes no longer work, and returns their number. */
export async function deleteOutdatedMails({ db, now }: Pick<Context, 'db' | 'now'>, limit: number): Promise<number> {
  return deleteExpiredMails(db, now(), limit)
}

/** Deletes up to `limit` emails that were sent or failed 30 days ago, and returns their number. */
export async function deleteSentMails({ db, now }: Pick<Context, 'db' | 'now'>, limit: number): Promise<number> {
  return deleteOldMails(db, new Date(now().getTime() - RETENTION), limit)
}

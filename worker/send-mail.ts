import { UnrecoverableError } from 'bullmq'
import { readSmtp } from '../src/config/mail-server.ts'
import type { Context } from '../src/context.ts'
import { claimDueMails, claimMail, deleteOldMails, failInterrupted, markFailed, markSent, markWaiting } from '../src/mail/queries.ts'
import { enqueueWrittenMails } from '../src/mail/service.ts'
import { deliver, MailError } from '../src/mail/smtp.ts'
import type { Jobs } from '../src/queue/jobs.ts'

type Tools = Pick<Context, 'db' | 'env' | 'sealer' | 'log' | 'now'>
type Mail = NonNullable<Awaited<ReturnType<typeof claimMail>>>

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const FIRST_RETRY = 15_000 // ms; doubled at each further one
const LONGEST_RETRY = 15 * MINUTE
const GIVE_UP_AFTER = 3 * DAY
/** Longer than a delivery takes at most. */
const INTERRUPTED_AFTER = 10 * MINUTE
const KEPT = 30 * DAY

/**
 * Sends one e-mail, if it still waits. The row decides who sends it, so that it goes once; while the mail server is away or e-mail is switched off it goes
 * on waiting, for three days, and the clean-up hands it in again. One that the server refuses fails, as does one whose connection broke while it was on its
 * way: it may have arrived, and is not sent twice.
 */
export async function sendMail(ctx: Tools, { mailId }: Jobs['send-mail'], stopping?: AbortSignal): Promise<void> {
  const smtp = await readSmtp(ctx)
  const mail = await claimMail(ctx.db, mailId, ctx.now())
  if (!mail) return
  if (!smtp) return wait(ctx, mail, 'E-mail is switched off')
  const text = opened(ctx, mail)
  if (text === null) return fail(ctx, mail, 'The e-mail cannot be opened with this SECRET_KEY')
  try {
    await deliver(smtp, { id: mail.id, to: mail.recipient, subject: mail.subject, text }, stopping)
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    if (error.kind === 'later') return wait(ctx, mail, error.message)
    return fail(ctx, mail, error.kind === 'refused' ? error.message : `${error.message} (while it was being sent: it may have arrived)`)
  }
  await markSent(ctx.db, mail.id, ctx.now())
}

function opened({ sealer }: Tools, { body }: Mail): string | null {
  try {
    return body === null ? null : sealer.open(body)
  } catch {
    return null
  }
}

async function wait(ctx: Tools, mail: Mail, reason: string): Promise<void> {
  const now = ctx.now().getTime()
  if (now - mail.createdAt.getTime() >= GIVE_UP_AFTER) return fail(ctx, mail, reason)
  const pause = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** Math.min(mail.attempts - 1, 10))
  ctx.log.warn({ mailId: mail.id, reason, attempts: mail.attempts }, 'an e-mail could not be sent yet')
  await markWaiting(ctx.db, mail.id, reason, new Date(now + pause))
}

async function fail(ctx: Tools, mail: Mail, reason: string): Promise<never> {
  await markFailed(ctx.db, mail.id, reason)
  throw new UnrecoverableError(reason)
}

/** Hands waiting e-mails in whose time has come; up to `limit`, answers how many. */
export async function enqueueMails({ db, queue, now }: Pick<Context, 'db' | 'queue' | 'now'>, limit: number): Promise<number> {
  const time = now()
  const due = await claimDueMails(db, { now: time, next: new Date(time.getTime() + 5 * MINUTE), limit })
  await enqueueWrittenMails({ queue }, due)
  return due.length
}

/** Gives up what a worker that died was sending. */
export async function failInterruptedMails({ db, now, log }: Pick<Context, 'db' | 'now' | 'log'>): Promise<void> {
  const before = new Date(now().getTime() - INTERRUPTED_AFTER)
  const count = await failInterrupted(db, before, 'The worker stopped while it was being sent: it may have arrived')
  if (count > 0) log.error({ count }, 'e-mails were interrupted while they were being sent')
}

/** Forgets what was sent or given up a month ago; up to `limit`, answers how many. */
export async function deleteSentMails({ db, now }: Pick<Context, 'db' | 'now'>, limit: number): Promise<number> {
  return deleteOldMails(db, new Date(now().getTime() - KEPT), limit)
}

import { RateLimiterRes } from 'rate-limiter-flexible'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { addressKey } from '../http/networks.ts'
import type { AttemptLimit } from '../http/rate-limit.ts'

/** Who has emails sent to recipients of shares: an account, or a visitor by their address. */
export type MailSender = { userId: string } | { address: string }

const hour = 3_600
const day = 86_400
// docs/configuration.md lists these numbers.
const perAccount = { name: 'mails-account-hour', attempts: 200, seconds: hour }
const perAccountAndDay = { name: 'mails-account-day', attempts: 500, seconds: day }
const perVisitor = { name: 'mails-visitor', attempts: 100, seconds: hour }
const allVisitors = { name: 'mails-visitors', attempts: 500, seconds: hour }
const perSenderAndRecipient = { name: 'mails-sender-recipient', attempts: 10, seconds: hour }
const perRecipient = { name: 'mails-recipient', attempts: 30, seconds: hour }
const everyone = { name: 'mails-all', attempts: 5_000, seconds: hour }

type Consumed = [limit: AttemptLimit, key: string, points: number]
type Limited = Pick<Context, 'limiters'>

/**
 * Does `work` after consuming one email to each address from limits that all replicas share: all of them or none. They are refunded when `work` fails.
 * Throws `too_many_emails` with `retryAfter` in seconds, and what `work` throws.
 */
export async function withMails<T>(ctx: Limited, sender: MailSender, emails: readonly string[], work: () => Promise<T>): Promise<T> {
  const consumed = await reserveMails(ctx, sender, emails)
  try {
    return await work()
  } catch (error) {
    await refund(ctx, consumed)
    throw error
  }
}

async function reserveMails(ctx: Limited, sender: MailSender, emails: readonly string[]): Promise<Consumed[]> {
  const all = limitsOf(sender, [...new Set(emails.map((email) => email.normalize('NFC').toLowerCase()))])
  const outcomes = await Promise.allSettled(all.map(([limit, key, points]) => ctx.limiters(limit).consume(key, points)))
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  if (refusals.length === 0) return all
  await refund(ctx, all)
  const waits = refusals.map((refusal) => {
    if (refusal instanceof RateLimiterRes) return refusal.msBeforeNext / 1000
    throw refusal
  })
  throw new AppError('too_many_emails', { retryAfter: Math.max(1, Math.ceil(Math.max(...waits))) })
}

function limitsOf(sender: MailSender, emails: string[]): Consumed[] {
  const count = emails.length
  if (count === 0) return []
  const key = 'userId' in sender ? sender.userId : addressKey(sender.address)
  const bySender: Consumed[] =
    'userId' in sender
      ? [
          [perAccount, key, count],
          [perAccountAndDay, key, count],
        ]
      : [
          [perVisitor, key, count],
          [allVisitors, 'all', count],
        ]
  const byRecipient = emails.flatMap((email): Consumed[] => [
    [perSenderAndRecipient, `${key}:${email}`, 1],
    [perRecipient, email, 1],
  ])
  return [...bySender, [everyone, 'all', count], ...byRecipient]
}

/** What was refused is counted by the limiter too, so everything is given back. */
async function refund({ limiters }: Limited, consumed: Consumed[]): Promise<void> {
  await Promise.all(consumed.map(([limit, key, points]) => limiters(limit).reward(key, points)))
}

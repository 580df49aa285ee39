import { RateLimiterRes } from 'rate-limiter-flexible'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { addressKey } from '../http/networks.ts'
import type { AttemptLimit } from '../http/rate-limit.ts'
import { emailKeyOf } from './email-key.ts'

/** The sender of emails to recipients of shares: an account, or a visitor's IP address. */
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
const allSenders = { name: 'mails-all', attempts: 5_000, seconds: hour }

type Consumption = [limit: AttemptLimit, key: string, points: number]
type RateLimited = Pick<Context, 'limiters'>

/**
 * Runs `work` after consuming one email to each address from limits that all replicas share.
 * Refunds them if `work` fails. If any limit is exceeded, none is consumed.
 * @throws {AppError} too_many_emails: with `retryAfter` in seconds
 */
export async function withMails<T>(ctx: RateLimited, sender: MailSender, emails: readonly string[], work: () => Promise<T>): Promise<T> {
  const consumed = await consumeMails(ctx, sender, emails)
  try {
    return await work()
  } catch (error) {
    await refund(ctx, consumed)
    throw error
  }
}

async function consumeMails(ctx: RateLimited, sender: MailSender, emails: readonly string[]): Promise<Consumption[]> {
  const consumption = limitsOf(sender, [...new Set(emails.map(emailKeyOf))])
  const outcomes = await Promise.allSettled(consumption.map(([limit, key, points]) => ctx.limiters(limit).consume(key, points)))
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  if (refusals.length === 0) return consumption
  await refund(ctx, consumption)
  const waits = refusals.map((refusal) => {
    if (refusal instanceof RateLimiterRes) return refusal.msBeforeNext / 1000
    throw refusal
  })
  throw new AppError('too_many_emails', { retryAfter: Math.max(1, Math.ceil(Math.max(...waits))) })
}

function limitsOf(sender: MailSender, emails: string[]): Consumption[] {
  const count = emails.length
  if (count === 0) return []
  const key = 'userId' in sender ? sender.userId : addressKey(sender.address)
  const bySender: Consumption[] =
    'userId' in sender
      ? [
          [perAccount, key, count],
          [perAccountAndDay, key, count],
        ]
      : [
          [perVisitor, key, count],
          [allVisitors, 'all', count],
        ]
  const byRecipient = emails.flatMap((email): Consumption[] => [
    [perSenderAndRecipient, `${key}:${email}`, 1],
    [perRecipient, email, 1],
  ])
  return [...bySender, [allSenders, 'all', count], ...byRecipient]
}

/** The limiter counts refused attempts too, so everything is refunded. */
async function refund({ limiters }: RateLimited, consumed: Consumption[]): Promise<void> {
  await Promise.all(consumed.map(([limit, key, points]) => limiters(limit).reward(key, points)))
}

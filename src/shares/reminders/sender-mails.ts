import { requiresVerifiedEmail } from '../../config/service.ts'
import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { withMails } from '../../mail/allowance.ts'
import { ownerOf, type Share } from '../queries.ts'

export type MailContext = Pick<Context, 'env' | 'limiters' | 'now' | 'sealer' | 'storage'> & { db: Db }

/** The sender of a share who gets an email about it. */
export type Sender = NonNullable<Awaited<ReturnType<typeof ownerOf>>>

/** What is written about shares. */
export interface Written {
  shares: number
  /** The ids of the emails for `enqueueWrittenMails`. */
  mails: string[]
}

interface Writing<S, R> {
  ctx: MailContext
  settings: Settings
  /** Returns the recipients besides the sender that `write` stores an email to. */
  othersOf?: (share: S) => Promise<R[]>
  /** Stores emails to the sender and those recipients. Returns the emails' ids. */
  write: (share: S, sender: Sender, others: readonly R[]) => Promise<string[]>
  /** Puts off a share whose sender may send no more emails now. */
  postpone: (share: S) => Promise<void>
}

/**
 * Stores emails about shares within the allowance of their senders. Senders whose address must be
 * verified first get none. Shares that are put off don't count.
 */
export async function writeToSenders<S extends Share, R extends { email: string }>(
  shares: readonly S[],
  { ctx, settings, othersOf, write, postpone }: Writing<S, R>,
): Promise<Written> {
  const mails: string[] = []
  let postponed = 0
  for (const share of shares) {
    const sender = await ownerOf(ctx.db, share.ownerId)
    if (!sender || share.ownerId === null || (!sender.emailVerified && requiresVerifiedEmail(settings))) continue
    const others = (await othersOf?.(share)) ?? []
    try {
      const emails = [sender, ...others].map(({ email }) => email)
      mails.push(...(await withMails(ctx, { userId: share.ownerId }, emails, () => write(share, sender, others))))
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'too_many_emails')) throw error
      postponed += 1
      await postpone(share)
    }
  }
  return { shares: shares.length - postponed, mails }
}

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

interface Writing {
  ctx: MailContext
  settings: Settings
  /** Returns the addresses besides the sender's that `write` stores an email to. */
  othersOf?: (share: Share) => Promise<string[]>
  /** Stores emails to the sender and those addresses. Returns the emails' ids. */
  write: (share: Share, sender: Sender, others: readonly string[]) => Promise<string[]>
  /** Puts off a share whose sender may send no more emails now. */
  postpone: (share: Share) => Promise<void>
}

/**
 * Stores emails about shares within the allowance of their senders. Senders whose address must be
 * verified first get none. Shares that are put off don't count.
 */
export async function writeToSenders(shares: readonly Share[], { ctx, settings, othersOf, write, postpone }: Writing): Promise<Written> {
  const mails: string[] = []
  let postponed = 0
  for (const share of shares) {
    const sender = await ownerOf(ctx.db, share.ownerId)
    if (!sender || share.ownerId === null || (!sender.emailVerified && requiresVerifiedEmail(settings))) continue
    const others = (await othersOf?.(share)) ?? []
    try {
      mails.push(...(await withMails(ctx, { userId: share.ownerId }, [sender.email, ...others], () => write(share, sender, others))))
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'too_many_emails')) throw error
      postponed += 1
      await postpone(share)
    }
  }
  return { shares: shares.length - postponed, mails }
}

import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { isUuid } from '../../http/formats.ts'
import { type MailSender, withMails } from '../../mail/allowance.ts'
import { deleteUnsentMail } from '../../mail/queries.ts'
import { enqueueWrittenMails } from '../../mail/service.ts'
import { lockShare } from '../queries.ts'
import * as queries from './queries.ts'
import { canHaveRecipients, writeMails } from './recipients.ts'

/** Which recipient of which share. */
interface Addressed {
  /** Of the share. */
  uid: string
  recipientId: string
  /** Whether only a failed email is sent again. */
  onlyFailed: boolean
}

/**
 * Emails a recipient the link again, with the current texts. An earlier email that waits or has
 * failed is deleted.
 * @throws {AppError} recipients_disabled, recipient_not_found, recipient_not_failed,
 *   share_not_completed, too_many_emails
 * @throws {AppError} link_turned_off: the recipient's link is turned off, or has expired
 */
export async function mailRecipient(
  ctx: Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'queue'>,
  sender: MailSender,
  { uid, recipientId, onlyFailed }: Addressed,
  baseUrl: string,
): Promise<void> {
  const settings = await readSettings(ctx)
  if (!canHaveRecipients(settings)) throw new AppError('recipients_disabled')
  const mails = await ctx.db.transaction().execute(async (db) => {
    const share = await lockShare(db, uid)
    const recipient = share && isUuid(recipientId) ? await queries.lockRecipient(db, share.id, recipientId) : undefined
    if (!share || !recipient) throw new AppError('recipient_not_found')
    if (onlyFailed && recipient.state !== 'failed') throw new AppError('recipient_not_failed')
    if (share.completedAt === null) throw new AppError('share_not_completed')
    return withMails(ctx, sender, [recipient.email], async () => {
      const written = await writeMails({ ...ctx, db }, settings, share, baseUrl, [recipient])
      if (written.length === 0) throw new AppError('link_turned_off')
      if (recipient.mailId !== null) await deleteUnsentMail(db, recipient.mailId)
      return written
    })
  })
  await enqueueWrittenMails(ctx, mails)
}

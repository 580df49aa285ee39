import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { type MailSender, withMails } from '../../mail/allowance.ts'
import { enqueueWrittenMails } from '../../mail/service.ts'
import { checkChanges } from '../encryption.ts'
import type { Right } from '../owner.ts'
import { reserveLink, type Share } from '../queries.ts'
import { rememberRecipients } from '../recipients/known.ts'
import { inheritedRules } from '../recipients/own-links.ts'
import { linksOfRecipients, recipientWith } from '../recipients/queries.ts'
import { addRecipients, canAddRecipients, writeMails } from '../recipients/recipients.ts'
import type { NewLink } from './contract.ts'
import { type FurtherLink, insertLink } from './queries.ts'
import { changedRules, lockExisting, withFreeId } from './service.ts'

/** Who adds a link to which share, and where the link leads. */
interface Adding {
  share: Share
  right: Right
  sender: MailSender
  baseUrl: string
}

/**
 * Adds a recipient to a share with a link that has rules of its own, and emails it now, or when the
 * share is next completed. Rules that are absent follow the share.
 * @throws {AppError} share_not_found, share_id_invalid, share_id_taken, expiration_invalid,
 *   recipients_disabled, recipient_has_link, too_many_emails
 * @throws {AppError} too_many_recipients: with `max`
 */
export async function addRecipientLink(
  ctx: Pick<Context, 'db' | 'env' | 'limiters' | 'now' | 'queue' | 'sealer'>,
  { share, right, sender, baseUrl }: Adding,
  { id, recipient, verifyEmail, ...rules }: NewLink & { recipient: string },
): Promise<FurtherLink> {
  checkChanges(share, rules)
  const settings = await readSettings(ctx)
  if (!canAddRecipients(settings, share, right)) throw new AppError('recipients_disabled')
  const changed = await changedRules(ctx, rules)
  const work = () =>
    withFreeId(ctx, id, async (tx, id) => {
      const locked = await lockExisting(tx, share.uid)
      if (!(await reserveLink(tx, id, locked.id))) return undefined
      const added = await ensureRecipient({ ...ctx, db: tx }, locked, recipient)
      if ('userId' in sender) await rememberRecipients(tx, sender.userId, [recipient], ctx.now())
      const own = { ...inheritedRules(locked), ...changed, verifyEmail: verifyEmail ?? locked.verifyRecipients }
      const link = await insertLink(tx, { ...own, id, shareId: locked.id, recipientId: added.id, createdAt: ctx.now() })
      const isMailed = !locked.uploadOpen && locked.completedAt !== null
      return link && { link, mails: isMailed ? await writeMails({ ...ctx, db: tx }, settings, locked, baseUrl, [added]) : [] }
    })
  const { link, mails } = await withMails(ctx, sender, [recipient], work)
  await enqueueWrittenMails(ctx, mails)
  return link
}

async function ensureRecipient(
  ctx: Pick<Context, 'now'> & { db: Db },
  { id }: Share,
  email: string,
): Promise<{ id: string; email: string }> {
  await addRecipients(ctx, id, [email])
  const recipient = await recipientWith(ctx.db, id, email)
  if ((await linksOfRecipients(ctx.db, [recipient.id])).size > 0) throw new AppError('recipient_has_link')
  return recipient
}

import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Recipient } from '../contract.ts'
import * as queries from './queries.ts'

type Reading = Pick<Context, 'db' | 'env'>

/**
 * Returns a share's recipients with the state of their emails. What they opened and downloaded is
 * null unless `hasActivity`, and while the activity is turned off.
 */
export async function listRecipients(ctx: Reading, shareId: string, hasActivity: boolean): Promise<Recipient[]> {
  const { 'share.activity': isOn } = await readSettings(ctx)
  return (await queries.recipientsOf(ctx.db, shareId)).map((row) => present(row, hasActivity && isOn))
}

/**
 * Returns one recipient like `listRecipients`.
 * @throws {AppError} recipient_not_found: also if they were removed since
 */
export async function recipientOf(ctx: Reading, shareId: string, id: string, hasActivity: boolean): Promise<Recipient> {
  const recipient = (await listRecipients(ctx, shareId, hasActivity)).find((candidate) => candidate.id === id)
  if (!recipient) throw new AppError('recipient_not_found')
  return recipient
}

type Row = Awaited<ReturnType<typeof queries.recipientsOf>>[number]

function present({ id, email, state, error, sentAt, link, verifyEmail, downloads, ...row }: Row, hasActivity: boolean): Recipient {
  const { openedAt, hasSome, hasAll, downloadedAt, isHandedOut } = row
  const downloaded = hasAll ? 'all' : hasSome ? 'some' : 'none'
  return {
    id,
    email,
    state: state === 'sending' ? 'queued' : state,
    error,
    sentAt: sentAt?.toISOString() ?? null,
    link,
    verifyEmail,
    downloads,
    openedAt: (hasActivity && openedAt?.toISOString()) || null,
    downloaded: hasActivity ? downloaded : null,
    downloadedAt: (hasActivity && downloadedAt?.toISOString()) || null,
    handedOut: hasActivity ? isHandedOut : null,
  }
}

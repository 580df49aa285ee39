import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { storeMail } from '../mail/service.ts'
import { type Notice, renderNotice } from '../mail/templates.ts'
import type { User } from './queries.ts'

export type NoticeContext = Pick<Context, 'env' | 'sealer' | 'now'> & { db: Db }

/**
 * Writes an email that tells a user about a change of how their account is signed in to, where email is on. It goes to the address in `user`, which is the
 * old one when the address changed. In the transaction of the change: the clean-up sends it within a minute.
 */
export async function writeNotice(
  ctx: NoticeContext,
  { email, username }: Pick<User, 'email' | 'username'>,
  change: Notice,
): Promise<void> {
  const settings = await readSettings(ctx)
  if (!settings['smtp.enabled']) return
  const notice = { username, change, app: settings['general.appName'], time: ctx.now() }
  await storeMail(ctx, { kind: 'securityNotice', to: email, ...renderNotice(settings['general.language'], notice) })
}

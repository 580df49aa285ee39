import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { languageOf } from '../mail/languages.ts'
import { storeMail } from '../mail/service.ts'
import { type Notice, renderNotice } from '../mail/templates.ts'
import type { User } from './queries.ts'

export type NoticeContext = Pick<Context, 'env' | 'sealer' | 'now'> & { db: Db }

/**
 * Writes an email that notifies a user of a change of their credentials, if email is enabled.
 * When the email address changes, `user` must hold the old one.
 * Requires the transaction of the change; the clean-up job sends the email within a minute.
 */
export async function writeNotice(
  ctx: NoticeContext,
  { email, username, language }: Pick<User, 'email' | 'username' | 'language'>,
  change: Notice,
): Promise<void> {
  const settings = await readSettings(ctx)
  if (!settings['smtp.enabled']) return
  const notice = { username, change, app: settings['general.appName'], time: ctx.now() }
  await storeMail(ctx, { kind: 'securityNotice', to: email, ...renderNotice(languageOf(settings, { language }), notice) })
}

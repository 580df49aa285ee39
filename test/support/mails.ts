import { storeSetting } from '../../src/config/queries.ts'
import type { Context } from '../../src/context.ts'
import { enqueueWrittenMails, writeMail } from '../../src/mail/service.ts'
import { eventually } from './app/worker.ts'

/** Where the links in the e-mails of tests lead. */
export const site = 'https://files.example.com'

/** Switches e-mail on, for a server that is not there: what would be sent waits. */
export async function letMailsWait(ctx: Context): Promise<void> {
  await storeSetting(ctx.db, 'smtp.enabled', true, ctx.now())
  await storeSetting(ctx.db, 'general.appUrl', site, ctx.now())
}

/** The texts of the e-mails that wait for somebody, in the order of their making. */
export async function mailsTo(ctx: Context, recipient: string): Promise<string[]> {
  const rows = await ctx.db.selectFrom('mail').select('body').where('recipient', '=', recipient).orderBy('createdAt').execute()
  return rows.map(({ body }) => ctx.sealer.open(body!))
}

/** Returns the token in the newest of at least `count` emails with a link to a password; waits for it. */
export async function linkTokenTo(ctx: Context, recipient: string, count = 1): Promise<string> {
  const links = async () => (await mailsTo(ctx, recipient)).filter((text) => text.includes(`${site}/auth/resetPassword/`))
  await eventually(async () => (await links()).length >= count, `email ${count} to ${recipient} was written`)
  const mail = (await links()).at(-1)!
  return new RegExp(`${site}/auth/resetPassword/([\\w-]{43})(?=\\s|$)`).exec(mail)![1]!
}

/** Stores an email and adds its job to the queue. */
export async function queueMail(ctx: Context, ...[texts, mail]: MailArguments): Promise<void> {
  await enqueueWrittenMails(ctx, [await writeMail(ctx, texts, mail)])
}

type MailArguments = Parameters<typeof writeMail> extends [unknown, ...infer Rest] ? Rest : never

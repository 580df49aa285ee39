import { storeSetting } from '../../src/config/queries.ts'
import type { Context } from '../../src/context.ts'
import { enqueueWrittenMails, writeMail } from '../../src/mail/service.ts'
import { eventually } from './app/worker.ts'

/** The base address of the links in the tests' emails. */
export const site = 'https://files.example.com'

/** Turns email on for a server that does not exist, so that emails stay in the queue. */
export async function letMailsWait(ctx: Context): Promise<void> {
  await storeSetting(ctx.db, 'smtp.enabled', true, ctx.now())
  await storeSetting(ctx.db, 'general.appUrl', site, ctx.now())
}

/** The texts of the queued emails to one recipient, in the order of their creation. */
export async function mailsTo(ctx: Context, recipient: string): Promise<string[]> {
  const rows = await ctx.db.selectFrom('mail').select('body').where('recipient', '=', recipient).orderBy('createdAt').execute()
  return rows.map(({ body }) => ctx.sealer.open(body!))
}

/**
 * Returns the token in the newest of at least `count` emails with a link to a password; waits for
 * it.
 */
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

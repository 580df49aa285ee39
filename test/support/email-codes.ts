import type { Context } from '../../src/context.ts'
import { emailKeyOf } from '../../src/mail/email-key.ts'

/** Adds a link of a recipient to a share, which asks for a code by email. */
export async function addVerifiedLink({ db, now }: Context, shareId: string, id: string, email: string): Promise<void> {
  const recipient = { shareId, email, emailKey: emailKeyOf(email), createdAt: now() }
  const { id: recipientId } = await db.insertInto('shareRecipient').values(recipient).returning('id').executeTakeFirstOrThrow()
  await db.insertInto('shareLink').values({ id, shareId, recipientId, verifyEmail: true }).execute()
}

/** Returns the code in the newest queued email to a recipient. */
export async function mailedCode({ db, sealer }: Context, recipient: string): Promise<string> {
  const { body } = await db
    .selectFrom('mail')
    .select('body')
    .where('recipient', '=', recipient)
    .where('kind', '=', 'shareCode')
    .orderBy('createdAt', 'desc')
    .executeTakeFirstOrThrow()
  return codeIn(sealer.open(body!))
}

/** Returns the code in the text of an email. */
export function codeIn(text: string): string {
  const [code] = /^\d{6}$/m.exec(text) ?? []
  if (!code) throw new Error(`no code in: ${text}`)
  return code
}

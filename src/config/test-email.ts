import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { deliver, MailError } from '../mail/smtp.ts'
import { readSmtp } from './smtp.ts'

/** Sends an e-mail now, past the queue, to see whether it works. Throws `smtp_disabled`, and `smtp_failed` with the mail server's words as `reason`. */
export async function sendTestEmail(ctx: Pick<Context, 'db' | 'env' | 'sealer' | 'log'>, to: string): Promise<void> {
  const smtp = await readSmtp(ctx)
  if (!smtp) throw new AppError('smtp_disabled')
  const text = `This is a test email from ${smtp.from.name}.\n\nIf you can read it, email works.`
  try {
    await deliver(smtp, { id: randomUUID(), to, subject: 'Test email', text })
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    throw new AppError('smtp_failed', { message: error.message, reason: error.message }, { cause: error })
  }
}

import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { deliver, MailError, type Smtp } from '../mail/smtp.ts'
import { readSecret, readSettings } from './service.ts'
import type { Settings } from './settings.ts'

/**
 * Returns the mail server's data in the settings; null if email is turned off or host, port or
 * sender is missing.
 */
export async function readSmtp(ctx: Pick<Context, 'db' | 'env' | 'sealer' | 'log'>, settings: Settings): Promise<Smtp | null> {
  const { 'smtp.host': host, 'smtp.port': port, 'smtp.email': address, 'smtp.username': user } = settings
  if (!settings['smtp.enabled'] || !host || !port || !address) return null
  const pass = user ? await readSecret(ctx, 'smtp.password') : ''
  return {
    host,
    port,
    tls: settings['smtp.tls'] as Smtp['tls'],
    allowUnauthorizedCertificates: settings['smtp.allowUnauthorizedCertificates'],
    login: user && pass ? { user, pass } : null,
    from: { name: settings['general.appName'], address },
    clientName: hostNameOf(ctx.env.appUrl ?? settings['general.appUrl']),
  }
}

/** Returns the domain name in a URL; null for an IP address or a name without a domain. */
function hostNameOf(url: string): string | null {
  const hostname = URL.canParse(url) ? new URL(url).hostname : ''
  return /\.[a-z][a-z0-9-]*$/i.test(hostname) ? hostname : null
}

/**
 * Sends a test email at once, without the queue.
 * @throws {AppError} smtp_disabled: email is turned off or not set up
 * @throws {AppError} smtp_failed: with the mail server's response as `reason`
 */
export async function sendTestEmail(ctx: Pick<Context, 'db' | 'env' | 'sealer' | 'log'>, to: string): Promise<void> {
  const smtp = await readSmtp(ctx, await readSettings(ctx))
  if (!smtp) throw new AppError('smtp_disabled')
  const text = `This is a test email from ${smtp.from.name}.\n\nIf you can read it, email works.`
  try {
    await deliver(smtp, { id: randomUUID(), to, subject: 'Test email', text })
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    throw new AppError('smtp_failed', { reason: error.message }, { cause: error })
  }
}

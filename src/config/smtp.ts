import type { Context } from '../context.ts'
import type { Smtp } from '../mail/smtp.ts'
import { readSecret, readSettings } from './service.ts'

/** The mail server as it is set now; null when e-mail is switched off or lacks host, port or sender. */
export async function readSmtp(ctx: Pick<Context, 'db' | 'env' | 'sealer' | 'log'>): Promise<Smtp | null> {
  const settings = await readSettings(ctx)
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
  }
}

import type { FastifyBaseLogger } from 'fastify'
import { writeEvent } from '../http/security-events.ts'

/** A change of an account or of its credentials. */
export type AccountEvent =
  | 'user_created'
  | 'user_deleted'
  | 'username_changed'
  | 'email_changed'
  | 'email_verified'
  | 'admin_granted'
  | 'admin_revoked'
  | 'invitation_sent'
  | 'password_changed'
  | 'password_link_sent'
  | 'totp_enabled'
  | 'totp_disabled'
  | 'recovery_codes_renewed'
  | 'recovery_code_used'
  | 'passkey_added'
  | 'passkey_deleted'
  | 'social_linked'
  | 'social_unlinked'
  | 'api_token_created'
  | 'api_token_deleted'
  | 'session_revoked'

interface Details {
  userId: string
  /** The user who made the change; null when no one was signed in. */
  by: string | null
  /** The cause, where there are several. */
  how?: 'sign_up' | 'administrator' | 'link' | 'command_line' | 'environment' | 'social_login' | 'token_reuse'
}

/** Logs a change of an account in the format of docs/security-events.md, without secrets. */
export function logEvent(ctx: { log: Pick<FastifyBaseLogger, 'info'> }, event: AccountEvent, details: Details): void {
  writeEvent(ctx, 'info', { event, ...details })
}

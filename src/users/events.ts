import type { FastifyBaseLogger } from 'fastify'
import { writeEvent } from '../http/security-events.ts'

/** What can happen to an account and to the ways into it. */
export type AccountEvent =
  | 'user_created'
  | 'user_deleted'
  | 'username_changed'
  | 'email_changed'
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
  /** Who did it; null: nobody who is signed in. */
  by: string | null
  /** How it was done, where there are several ways. */
  how?: 'sign_up' | 'administrator' | 'link' | 'command_line' | 'environment' | 'social_login' | 'token_reuse'
}

/** Logs one line about a change of an account, in the form of docs/security-events.md; never a secret. */
export function logEvent(ctx: { log: Pick<FastifyBaseLogger, 'info'> }, event: AccountEvent, details: Details): void {
  writeEvent(ctx, 'info', { event, ...details })
}

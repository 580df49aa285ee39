import type { FastifyBaseLogger } from 'fastify'

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
  | 'sessions_ended'

interface Details {
  userId: string
  /** Who did it; null: nobody who is signed in. */
  by: string | null
  /** How it was done, where there are several ways. */
  how?: 'sign_up' | 'administrator' | 'link' | 'command_line' | 'environment' | 'social_login'
}

/** Logs one line about a change of an account, for whoever looks into a break-in; never a secret. */
export function logEvent({ log }: { log: Pick<FastifyBaseLogger, 'info'> }, event: AccountEvent, details: Details): void {
  log.info({ event, ...details }, 'account event')
}

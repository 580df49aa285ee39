import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { TFunction } from 'i18next'
import { api } from '../api.ts'
import { settings } from '../start.ts'
import { errorText } from './error-text.ts'

/** Whether there can be passkeys here: the browser knows them, and this is the domain name at which the server expects them. */
export function passkeysWork(): boolean {
  const { hostname, origin } = location
  const isAddress = /^[\d.]+$|^\[/.test(hostname)
  const configured = settings['general.appUrl']
  const isElsewhere = URL.canParse(configured) && new URL(configured).origin !== origin
  return browserSupportsWebAuthn() && !isAddress && !isElsewhere
}

/** Asks for a passkey and signs in with it; with a login token, as the second factor. */
export async function signInByPasskey(loginToken?: string): Promise<void> {
  const optionsJSON = await api('POST /api/auth/signIn/passkey/options', { body: { loginToken } })
  const response = await startAuthentication({ optionsJSON })
  await api('POST /api/auth/signIn/passkey', { body: { response, loginToken } })
}

/** Lets the browser make a passkey, and adds it to the account. `password`: see `confirmation_required`. */
export async function addPasskey(name: string, password?: string) {
  const optionsJSON = await api('POST /api/auth/passkeys/options', { body: { password } })
  const response = await startRegistration({ optionsJSON })
  return api('POST /api/auth/passkeys', { body: { name, response } })
}

const texts: Record<string, string> = {
  NotAllowedError: 'passkey.cancelled',
  AbortError: 'passkey.cancelled',
  InvalidStateError: 'error.passkey_taken',
  SecurityError: 'error.passkeys_unavailable',
  ConstraintError: 'passkey.unsuitable',
  NotSupportedError: 'passkey.unsuitable',
}

/** What a failure with a passkey means: the browser's (Web Authentication Level 3, 5.1.3 and 5.1.4), or the server's. */
export function passkeyErrorText(t: TFunction, error: unknown): string {
  const known = error instanceof Error && texts[error.name]
  return known ? t(known) : errorText(t, error)
}

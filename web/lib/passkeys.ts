import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { TFunction } from 'i18next'
import { api } from '../api.ts'
import { settings } from '../start.ts'
import { errorText } from './error-text.ts'

/**
 * Returns whether the browser supports passkeys and the page has the domain name that the server
 * expects.
 */
export function arePasskeysAvailable(): boolean {
  const { hostname, origin } = location
  const isAddress = /^[\d.]+$|^\[/.test(hostname)
  const configured = settings['general.appUrl']
  const isElsewhere = URL.canParse(configured) && new URL(configured).origin !== origin
  return browserSupportsWebAuthn() && !isAddress && !isElsewhere
}

/**
 * Asks for a passkey and signs in with it. With a login token, the passkey is the second factor.
 */
export async function signInByPasskey(loginToken?: string): Promise<void> {
  const optionsJSON = await api('POST /api/auth/signIn/passkey/options', { body: { loginToken } })
  const response = await startAuthentication({ optionsJSON })
  await api('POST /api/auth/signIn/passkey', { body: { response, loginToken } })
}

/**
 * Creates a passkey and adds it to the account. The server may require the password
 * (`confirmation_required`).
 */
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

/**
 * Returns the text of a passkey error of the browser (Web Authentication Level 3, 5.1.3 and 5.1.4)
 * or of the server.
 */
export function passkeyErrorText(t: TFunction, error: unknown): string {
  const key = error instanceof Error && texts[error.name]
  return key ? t(key) : errorText(t, error)
}

import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { AppError } from '../../errors.ts'
import { challengeLifetime } from '../limits.ts'
import type { StoredPasskey } from './queries.ts'

// Web Authentication Level 3 with @simplewebauthn/server. Each passkey is discoverable and each use
// verifies the user, so that it counts as both factors.

/** Loads the library when a passkey is first used, because it needs 7 MB. */
const webAuthn = () => import('@simplewebauthn/server')

/** The site that passkeys belong to. */
export interface RelyingParty {
  /** A domain name. */
  rpID: string
  origin: string
  name: string
}

/**
 * Returns the relying party at a base URL.
 * @throws {AppError} passkeys_unavailable: where browsers offer none, which is at IP addresses and
 *   without https except on localhost
 */
export function relyingPartyOf(base: string, name: string): RelyingParty {
  if (!URL.canParse(base)) throw new AppError('passkeys_unavailable')
  const { protocol, hostname, origin } = new URL(base)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (isIP(hostname) || hostname.startsWith('[') || (protocol !== 'https:' && !isLocal)) throw new AppError('passkeys_unavailable')
  return { rpID: hostname, origin, name }
}

const timeout = challengeLifetime * 1000
/** EdDSA, ES256 and RS256, which authenticators support (RFC 9053, 8812). */
const supportedAlgorithmIDs = [-8, -7, -257]

/**
 * Returns the options with which a browser creates a passkey. Authenticators with an existing
 * passkey of the user are excluded.
 */
export async function creationOptions({ rpID, name }: RelyingParty, user: { id: string; username: string }, existing: StoredPasskey[]) {
  const { generateRegistrationOptions } = await webAuthn()
  return generateRegistrationOptions({
    rpName: name,
    rpID,
    userName: user.username,
    userDisplayName: user.username,
    userID: handleOf(user.id),
    challenge: new Uint8Array(randomBytes(32)),
    timeout,
    supportedAlgorithmIDs,
    attestationType: 'none',
    excludeCredentials: existing.map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/**
 * Returns the options with which a browser asks for a passkey: one of `allowed`, or any passkey of
 * the site.
 */
export async function requestOptions({ rpID }: RelyingParty, allowed?: StoredPasskey[]) {
  const { generateAuthenticationOptions } = await webAuthn()
  return generateAuthenticationOptions({
    rpID,
    challenge: new Uint8Array(randomBytes(32)),
    timeout,
    userVerification: 'required',
    ...(allowed && { allowCredentials: allowed.map(descriptorOf) }),
  })
}

/**
 * Verifies a new passkey against its challenge and returns the fields to store.
 * @throws {AppError} passkey_invalid
 */
export async function checkRegistration({ rpID, origin }: RelyingParty, response: RegistrationResponseJSON, challenge: string) {
  try {
    const { verifyRegistrationResponse } = await webAuthn()
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      supportedAlgorithmIDs,
    })
    if (!registrationInfo) throw new Error('the registration is not verified')
    const { credential, credentialBackedUp } = registrationInfo
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: (credential.transports ?? []).filter((transport) => /^[a-z-]{1,20}$/.test(transport)).join(','),
      rpId: rpID,
      backedUp: credentialBackedUp,
    }
  } catch (cause) {
    throw new AppError('passkey_invalid', {}, { cause })
  }
}

/**
 * Verifies that a stored passkey signed this challenge and returns its new counter.
 * @throws {AppError} passkey_rejected
 */
export async function checkAssertion(
  { rpID, origin }: RelyingParty,
  response: AuthenticationResponseJSON,
  challenge: string,
  passkey: StoredPasskey,
): Promise<number> {
  try {
    const { verifyAuthenticationResponse } = await webAuthn()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
      },
      requireUserVerification: true,
    })
    if (!verified) throw new Error('the signature does not match')
    return authenticationInfo.newCounter
  } catch (cause) {
    throw new AppError('passkey_rejected', {}, { cause })
  }
}

/**
 * Returns the unverified challenge in a credential's client data, or an empty string when it can't
 * be parsed.
 */
export function challengeOf({ response }: { response: { clientDataJSON: string } }): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

/** Returns the user handle that a passkey stores: the user's id, which reveals no personal data. */
function handleOf(userId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(userId.replaceAll('-', ''), 'hex'))
}

/** Returns whether the user handle of a passkey belongs to this user. */
export function isHandleOf(handle: string | undefined, userId: string): boolean {
  return handle === Buffer.from(handleOf(userId)).toString('base64url')
}

function descriptorOf({ credentialId, transports }: StoredPasskey) {
  return { id: credentialId, ...(transports && { transports: transports.split(',') }) }
}

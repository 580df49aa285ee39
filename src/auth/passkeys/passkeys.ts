import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { AppError } from '../../errors.ts'
import { challengeLifetime } from '../limits.ts'
import type { StoredPasskey } from './queries.ts'

// Web Authentication Level 3, by @simplewebauthn/server. Each passkey is discoverable, and each use of one verifies its user: it counts as both factors.

/** This installation as passkeys know it (relying party). */
export interface Site {
  /** A domain name. */
  rpID: string
  origin: string
  name: string
}

/** The site at a base address. Throws `passkeys_unavailable` where browsers have none: at IP addresses and without https, but for localhost. */
export function relyingPartyOf(base: string, name: string): Site {
  if (!URL.canParse(base)) throw new AppError('passkeys_unavailable')
  const { protocol, hostname, origin } = new URL(base)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (isIP(hostname) || hostname.startsWith('[') || (protocol !== 'https:' && !isLocal)) throw new AppError('passkeys_unavailable')
  return { rpID: hostname, origin, name }
}

const timeout = challengeLifetime * 1000
/** EdDSA, ES256 and RS256: what authenticators have (RFC 9053, 8812). */
const supportedAlgorithmIDs = [-8, -7, -257]

/** What a browser makes a new passkey of this user with; none that they have. */
export function creationOptions({ rpID, name }: Site, user: { id: string; username: string }, known: StoredPasskey[]) {
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
    excludeCredentials: known.map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** What a browser asks a passkey with: one of `allowed`, or any of the site's. */
export function requestOptions({ rpID }: Site, allowed?: StoredPasskey[]) {
  return generateAuthenticationOptions({
    rpID,
    challenge: new Uint8Array(randomBytes(32)),
    timeout,
    userVerification: 'required',
    ...(allowed && { allowCredentials: allowed.map(descriptorOf) }),
  })
}

/** The passkey that a browser has made for this challenge. Throws `passkey_invalid`. */
export async function checkRegistration({ rpID, origin }: Site, response: RegistrationResponseJSON, challenge: string) {
  try {
    const expected = { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpID }
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      ...expected,
      requireUserVerification: true,
      supportedAlgorithmIDs,
    })
    const { credential, credentialBackedUp } = registrationInfo!
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

/** The counter of the passkey that signed this challenge; `passkey` is what is stored of it. Throws `passkey_rejected`. */
export async function checkAssertion(
  { rpID, origin }: Site,
  response: AuthenticationResponseJSON,
  challenge: string,
  passkey: StoredPasskey,
): Promise<number> {
  try {
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
    if (!verified) throw new Error('the signature does not fit')
    return authenticationInfo.newCounter
  } catch (cause) {
    throw new AppError('passkey_rejected', {}, { cause })
  }
}

/** The challenge that an answer says it is for; not yet to be believed. Empty when it cannot be read. */
export function challengeOf({ response }: { response: { clientDataJSON: string } }): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

/** A user as a passkey keeps them: their id, which tells nobody anything. */
function handleOf(userId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(userId.replaceAll('-', ''), 'hex'))
}

/** Whether the user handle that a passkey has answered with is this user's. */
export function isHandleOf(handle: string | undefined, userId: string): boolean {
  return handle === Buffer.from(handleOf(userId)).toString('base64url')
}

function descriptorOf({ credentialId, transports }: StoredPasskey) {
  return { id: credentialId, ...(transports && { transports: transports.split(',') }) }
}

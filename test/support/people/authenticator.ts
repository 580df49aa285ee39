import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'

/** The fields that an attacker manipulates. */
interface Bent {
  origin?: string
  rpId?: string
  type?: string
  challenge?: string
  userVerified?: boolean
  userPresent?: boolean
  counter?: number
  userHandle?: string | null
}

/**
 * A passkey in software (ES256, Web Authentication Level 3) with the responses of a browser at
 * `origin`. Unlike a real one, it can be made to misbehave.
 */
export function newPasskey(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  let counter = 0
  let userHandle = ''

  function clientData(type: string, challenge: string, bent: Bent): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: bent.type ?? type,
        challenge: bent.challenge ?? challenge,
        origin: bent.origin ?? origin,
        crossOrigin: false,
      }),
    )
  }

  return {
    id: id.toString('base64url'),
    register({ challenge, rp, user }: PublicKeyCredentialCreationOptionsJSON, bent: Bent = {}): RegistrationResponseJSON {
      userHandle = user.id
      const credential = Buffer.concat([Buffer.alloc(16), uint16(id.length), id, coseKey(publicKey)])
      const authData = Buffer.concat([authenticatorData(bent.rpId ?? rp.id!, 0x40, counter, bent), credential])
      const attestation = map([text('fmt'), text('none')], [text('attStmt'), map()], [text('authData'), bytes(authData)])
      const response = {
        clientDataJSON: clientData('webauthn.create', challenge, bent).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal' as const, 'hybrid' as const],
      }
      return { ...named(id), response }
    },
    answer({ challenge, rpId }: PublicKeyCredentialRequestOptionsJSON, bent: Bent = {}): AuthenticationResponseJSON {
      counter = bent.counter ?? counter + 1
      const client = clientData('webauthn.get', challenge, bent)
      const authData = authenticatorData(bent.rpId ?? rpId!, 0, counter, bent)
      const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()])
      const handle = bent.userHandle === undefined ? userHandle : bent.userHandle
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
        ...(handle !== null && { userHandle: handle }),
      }
      return { ...named(id), response }
    },
  }
}
export type SoftPasskey = ReturnType<typeof newPasskey>

function named(id: Buffer) {
  const text = id.toString('base64url')
  return { id: text, rawId: text, type: 'public-key' as const, clientExtensionResults: {} }
}

function authenticatorData(rpId: string, flags: number, counter: number, { userPresent = true, userVerified = true }: Bent): Buffer {
  const all = flags | (userPresent ? 0x01 : 0) | (userVerified ? 0x04 : 0)
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.of(all), count])
}

/** RFC 9053: kty EC2, alg ES256, crv P-256, x, y. */
function coseKey(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: 'jwk' }) as { x: string; y: string }
  const coordinate = (value: string) => bytes(Buffer.from(value, 'base64url'))
  return map(
    [integer(1), integer(2)],
    [integer(3), integer(-7)],
    [integer(-1), integer(1)],
    [integer(-2), coordinate(x)],
    [integer(-3), coordinate(y)],
  )
}

// The needed subset of CBOR (RFC 8949).
function head(major: number, value: number): Buffer {
  const first = (size: number) => Buffer.of((major << 5) | size)
  if (value < 24) return first(value)
  return value < 256 ? Buffer.concat([first(24), Buffer.of(value)]) : Buffer.concat([first(25), uint16(value)])
}
const integer = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value))
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value])
const text = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)])
const map = (...entries: [Buffer, Buffer][]) => Buffer.concat([head(5, entries.length), ...entries.flat()])

function uint16(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16BE(value)
  return buffer
}

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Sealer } from './sealed.ts'

/**
 * What a MAC protects. Each purpose has its own key, so that one kind of token never passes for
 * another.
 */
type MacPurpose =
  | 'share tokens'
  | 'selections of files'
  | 'reverse share tokens'
  | 'refresh tokens'
  | 'known devices'
  | 'recovery codes'
  | 'setup code'
  | 'download notices'
  | 'reverse share notices'
  | 'visitors'
  | 'networks'
  | 'email codes'
  | 'verified devices'

/** What a signed token is bound to besides its value. */
interface Binding {
  purpose: MacPurpose
  /**
   * Text that is signed in front of the value without being part of the token; it ends with its own
   * separator.
   */
  prefix: string
}

const keys = new WeakMap<Sealer, Map<MacPurpose, KeyObject>>()

/** Returns the HMAC-SHA-256 (RFC 2104) of a text under the key of a purpose, in base64url. */
export function macOf(sealer: Sealer, purpose: MacPurpose, text: string): string {
  return createHmac('sha256', keyOf(sealer, purpose)).update(text).digest('base64url')
}

/** Returns a token that never expires: `value.mac`. */
export function signValue(sealer: Sealer, { purpose, prefix }: Binding, value: string): string {
  return `${value}.${macOf(sealer, purpose, prefix + value)}`
}

/** Returns the value of a token, or null when it was not signed with this key and binding. */
export function verifyValue(sealer: Sealer, { purpose, prefix }: Binding, token: string): string | null {
  const end = token.lastIndexOf('.')
  const value = token.slice(0, Math.max(end, 0))
  return equalsInConstantTime(token.slice(end + 1), macOf(sealer, purpose, prefix + value)) ? value : null
}

/**
 * Returns a token that works until `expires` (ms since 1970): `field.….expires.mac`, with the time
 * in base 36. Fields contain no dots.
 */
export function signUntil(sealer: Sealer, binding: Binding, fields: string[], expires: number): string {
  return signValue(sealer, binding, [...fields, expires.toString(36)].join('.'))
}

/**
 * Returns the fields of a token from `signUntil`, or null when it has expired or was not signed
 * with this key and binding.
 */
export function verifyUntil(sealer: Sealer, binding: Binding, token: string, now: Date): string[] | null {
  const fields = verifyValue(sealer, binding, token)?.split('.')
  const expires = Number.parseInt(fields?.pop() ?? '', 36)
  return fields && expires > now.getTime() ? fields : null
}

/** Compares two texts in a time that depends only on their lengths. */
export function equalsInConstantTime(left: string, right: string): boolean {
  const [leftBytes, rightBytes] = [Buffer.from(left), Buffer.from(right)]
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes)
}

function keyOf(sealer: Sealer, purpose: MacPurpose): KeyObject {
  const keysOfSealer = keys.get(sealer) ?? new Map<MacPurpose, KeyObject>()
  keys.set(sealer, keysOfSealer)
  const key = keysOfSealer.get(purpose) ?? createSecretKey(sealer.key(purpose))
  keysOfSealer.set(purpose, key)
  return key
}

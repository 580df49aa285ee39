import { emailFormat } from '../http/formats.ts'
import { emailMaxLength } from '../users/limits.ts'
import { ProviderError, SocialError } from './errors.ts'
import { getWithToken } from './provider-call.ts'

/** What a provider says about a user. */
export type Claims = Record<string, unknown>

/**
 * Fetches a user's claims as JSON.
 * @throws {SocialError} cannot_get_user_info
 */
export async function userInfo(address: string, accessToken: string): Promise<Claims> {
  const claims = await fetchUserInfo(address, accessToken)
  if (typeof claims === 'string') throw new SocialError('cannot_get_user_info', { message: 'the response is not JSON' })
  return claims
}

/**
 * Fetches a user's claims, or the text of a signed response.
 * @throws {SocialError} cannot_get_user_info
 */
export async function fetchUserInfo(address: string, accessToken: string): Promise<Claims | string> {
  try {
    const claims = await getWithToken(address, accessToken)
    if (typeof claims === 'string' || (typeof claims === 'object' && claims !== null)) return claims as Claims | string
    throw new ProviderError('not an object')
  } catch (cause) {
    throw new SocialError('cannot_get_user_info', { cause })
  }
}

/** Returns the first claim that is a non-empty text. */
export function textOf(claims: Claims, names: string[]): string | null {
  const texts = names.map((name) => claims[name]).filter((value) => typeof value === 'string')
  const text = texts.map((value) => value.trim()).find((value) => value !== '')
  return text?.slice(0, 200) ?? null
}

/** Returns the email address if an account can have it. */
export function emailOf({ email }: Claims): string | null {
  if (typeof email !== 'string') return null
  const address = email.trim()
  return address.length <= emailMaxLength && emailFormat.test(address) ? address : null
}

/** Parses a flag, which some providers send as text. */
export function flagOf(value: unknown): boolean | null {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : null
}

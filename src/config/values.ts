import { emailFormat } from '../http/formats.ts'
import type { ConfigReason } from './contract.ts'
import { expirationPattern } from './limits.ts'
import { type Definition, type SettingKey, settings, typeOf } from './settings.ts'

/**
 * Why a value is invalid: a code, and the end of a sentence that starts with the setting or the
 * variable.
 */
export interface Problem {
  reason: ConfigReason
  must: string
  details?: Record<string, unknown>
}

const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?'
/** A host name, or an IPv4 or IPv6 address. */
const host = new RegExp(`^(?:(?:${label}\\.)*${label}\\.?|[0-9a-f]*:[0-9a-f:.]+)$`, 'iu')
/** A name such as `common`, a domain, or a GUID. */
const tenant = /^[A-Za-z0-9][A-Za-z0-9.-]*$/
const expiration = new RegExp(expirationPattern)

const formats: Record<NonNullable<Definition['format']>, { matches(text: string): boolean; problem: Problem }> = {
  url: { matches: isWebAddress, problem: { reason: 'not_url', must: 'must be a URL that starts with http:// or https://' } },
  site: {
    matches: (text) => isWebAddress(text) && new URL(text).pathname === '/',
    problem: { reason: 'not_site', must: 'must be a URL of a host without a path, such as https://files.example.org' },
  },
  email: { matches: (text) => emailFormat.test(text), problem: { reason: 'not_email', must: 'must be an email address' } },
  host: { matches: (text) => host.test(text), problem: { reason: 'not_host', must: 'must be a host name or an IP address' } },
  tenant: {
    matches: (text) => tenant.test(text),
    problem: { reason: 'not_tenant', must: 'must be common, organizations, consumers, a domain or a GUID' },
  },
  // The characters of client IDs and secrets (RFC 6749, appendix A).
  ascii: {
    matches: (text) => /^[\x20-\x7e]*$/.test(text),
    problem: { reason: 'not_ascii', must: 'must contain only ASCII letters, digits and punctuation' },
  },
  color: {
    matches: (text) => /^#[0-9a-f]{6}$/i.test(text),
    problem: { reason: 'not_color', must: 'must be a color such as #4940de' },
  },
  expiration: {
    matches: (text) => text === 'never' || (expiration.test(text) && Number.parseInt(text, 10) > 0 && hoursOf(text) <= 876_600),
    problem: { reason: 'not_expiration', must: 'must be "never" or a number and a unit such as 7-days, at most 100 years' },
  },
}

/**
 * Returns the value to store: strings of one line are trimmed, and the application's URL has no
 * trailing slash.
 */
export function normalize<T>(key: SettingKey, value: T): T | string {
  const { format, secret, multiline }: Definition = settings[key]
  if (typeof value !== 'string' || secret || multiline) return value
  return format === 'site' ? value.trim().replace(/(?<!\/)\/+$/, '') : value.trim()
}

/** Parses a text into the setting's own type. A text that doesn't parse is returned unchanged. */
export function parseText(key: SettingKey, text: string): string | number | boolean {
  const trimmed = text.trim()
  switch (typeOf(key)) {
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : text
    case 'boolean':
      return trimmed === 'true' || trimmed === 'false' ? trimmed === 'true' : text
    default:
      return normalize(key, text)
  }
}

/**
 * Checks the value of one setting on its own; null if it is valid. Every string setting can be
 * empty.
 */
export function problemOf(key: SettingKey, value: unknown): Problem | null {
  const type = typeOf(key)
  if (typeof value === 'number' && type === 'number') return numberProblem(settings[key], value)
  if (typeof value === 'string' && (type === 'string' || type === 'text')) return textProblem(settings[key], value)
  if (typeof value === 'boolean' && type === 'boolean') return null
  const must = { string: 'must be a string', text: 'must be a string', number: 'must be a number', boolean: 'must be true or false' }
  return { reason: 'wrong_type', must: must[type], details: { type } }
}

function numberProblem({ minimum, maximum }: Definition, value: number): Problem | null {
  if (!Number.isSafeInteger(value)) return { reason: 'not_whole', must: 'must be a whole number' }
  if (minimum !== undefined && value < minimum) {
    return { reason: 'too_small', must: `must be at least ${minimum}`, details: { min: minimum } }
  }
  if (maximum !== undefined && value > maximum)
    return { reason: 'too_large', must: `must be at most ${maximum}`, details: { max: maximum } }
  return null
}

function textProblem({ maxLength, multiline, format, choices }: Definition, value: string): Problem | null {
  if (maxLength !== undefined && value.length > maxLength) {
    return { reason: 'too_long', must: `must have at most ${maxLength} characters`, details: { max: maxLength } }
  }
  if (hasControlCharacters(value, multiline === true))
    return { reason: 'not_one_line', must: 'must not contain control characters or line breaks' }
  if (choices && !choices.includes(value)) {
    return { reason: 'not_a_choice', must: `must be one of ${choices.join(', ')}`, details: { choices: choices.join(', ') } }
  }
  return value !== '' && format && !formats[format].matches(value) ? formats[format].problem : null
}

/**
 * Looks for control characters (Unicode Cc) and line or paragraph separators. Multiline texts may
 * have line breaks and tabs.
 */
function hasControlCharacters(text: string, multiline: boolean): boolean {
  return (multiline ? /[^\P{Cc}\t\n\r]/u : /[\p{Cc}\u2028\u2029]/u).test(text)
}

/** Whether the text is an absolute URL without credentials, query and fragment. */
function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s/?#@\\]+(\/[^\s?#\\]*)?$/i.test(text) || !URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return hostname !== '' && (protocol === 'http:' || protocol === 'https:')
}

const hours: Record<string, number> = { minute: 1 / 60, hour: 1, day: 24, week: 168, month: 744, year: 8784 }

/**
 * Converts an expiration such as `7-days` to hours, with the longest month and year. Returns
 * Infinity for `never`.
 */
export function hoursOf(text: string): number {
  if (text === 'never') return Number.POSITIVE_INFINITY
  const [count, unit = ''] = text.split('-')
  return Number(count) * (hours[unit.replace(/s$/, '')] ?? 0)
}

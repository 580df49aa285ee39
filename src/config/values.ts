import { emailFormat } from '../http/formats.ts'
import type { ConfigReason } from './contract.ts'
import { expirationPattern } from './limits.ts'
import { type Definition, type SettingKey, settings, typeOf } from './settings.ts'

/** What is wrong with a value: the reason for programs, and what follows "The value" or the name of a variable in a sentence. */
export interface Problem {
  reason: ConfigReason
  must: string
  details?: Record<string, unknown>
}

const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?'
/** A host name, or an address of IPv4 or IPv6. */
const host = new RegExp(`^(?:(?:${label}\\.)*${label}\\.?|[0-9a-f]*:[0-9a-f:.]+)$`, 'iu')
/** `common` and such, a domain, or a GUID. */
const tenant = /^[A-Za-z0-9][A-Za-z0-9.-]*$/
const expiration = new RegExp(expirationPattern)

const formats: Record<NonNullable<Definition['format']>, { fits(text: string): boolean; problem: Problem }> = {
  url: { fits: isWebAddress, problem: { reason: 'not_url', must: 'must be an address that starts with http:// or https://' } },
  email: { fits: (text) => emailFormat.test(text), problem: { reason: 'not_email', must: 'must be an e-mail address' } },
  host: { fits: (text) => host.test(text), problem: { reason: 'not_host', must: 'must be the name or the address of a server' } },
  tenant: {
    fits: (text) => tenant.test(text),
    problem: { reason: 'not_tenant', must: 'must be common, organizations, consumers, a domain or a GUID' },
  },
  // What a client ID and secret may hold (RFC 6749, appendix A).
  ascii: {
    fits: (text) => /^[\x20-\x7e]*$/.test(text),
    problem: { reason: 'not_ascii', must: 'must have only ASCII letters, digits and punctuation' },
  },
  expiration: {
    fits: (text) => text === 'never' || (expiration.test(text) && Number.parseInt(text, 10) > 0 && hoursOf(text) <= 876_600),
    problem: { reason: 'not_expiration', must: 'must be never, or a number and a unit such as 7-days, 100 years at most' },
  },
}

/** A value as it is stored: an address without slashes at its end, a name without spaces around it. */
export function normalize<T>(key: SettingKey, value: T): T | string {
  const { format, secret, multiline }: Definition = settings[key]
  if (typeof value !== 'string' || secret || multiline) return value
  return format === 'url' && key === 'general.appUrl' ? value.trim().replace(/(?<!\/)\/+$/, '') : value.trim()
}

/** What is wrong with the value of one setting, looked at alone; null when nothing is. An empty text is right for every string. */
export function problemOf(key: SettingKey, value: unknown): Problem | null {
  const type = typeOf(key)
  if (typeof value === 'number' && type === 'number') return numberProblem(settings[key], value)
  if (typeof value === 'string' && (type === 'string' || type === 'text')) return textProblem(settings[key], value)
  if (typeof value === 'boolean' && type === 'boolean') return null
  const must = { string: 'must be a text', text: 'must be a text', number: 'must be a number', boolean: 'must be true or false' }
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
  if (hasControls(value, multiline === true)) return { reason: 'not_one_line', must: 'must not hold control characters or line breaks' }
  if (choices && !choices.includes(value)) {
    return { reason: 'not_a_choice', must: `must be one of ${choices.join(', ')}`, details: { choices: choices.join(', ') } }
  }
  return value !== '' && format && !formats[format].fits(value) ? formats[format].problem : null
}

/** Control characters (Unicode Cc), and the separators of lines and paragraphs; a text of several lines may have line breaks and tabs. */
function hasControls(text: string, multiline: boolean): boolean {
  return (multiline ? /[^\P{Cc}\t\n\r]/u : /[\p{Cc}\u2028\u2029]/u).test(text)
}

/** An absolute address without credentials, query or fragment. */
function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s/?#@\\]+(\/[^\s?#\\]*)?$/i.test(text) || !URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return hostname !== '' && (protocol === 'http:' || protocol === 'https:')
}

const hours: Record<string, number> = { minute: 1 / 60, hour: 1, day: 24, week: 168, month: 744, year: 8784 }

/** Hours of an expiration such as `7-days`: at most, as months and years differ. Infinity for `never`. */
export function hoursOf(text: string): number {
  if (text === 'never') return Number.POSITIVE_INFINITY
  const [count, unit = ''] = text.split('-')
  return Number(count) * (hours[unit.replace(/s$/, '')] ?? 0)
}

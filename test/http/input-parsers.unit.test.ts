import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { readLink } from '../../cli/link.ts'
import { bearerToken } from '../../src/auth/sessions/access-token.ts'
import { normalizeCode } from '../../src/auth/totp/recovery-codes.ts'
import { normalize, problemOf } from '../../src/config/values.ts'
import { evaluateConditions, rangeApplies } from '../../src/downloads/bytes/conditions.ts'
import { contentDisposition } from '../../src/downloads/bytes/disposition.ts'
import { parseRange } from '../../src/downloads/bytes/ranges.ts'
import { zipNames } from '../../src/downloads/zip/names.ts'
import { appUrl } from '../../src/http/app-url.ts'
import { emailFormat, isUuid, uuidFormat } from '../../src/http/formats.ts'
import { decodableUrl } from '../../src/http/malformed.ts'
import { addressKey } from '../../src/http/networks.ts'
import { queryField } from '../../src/http/route.ts'
import { mailHtml } from '../../src/mail/html.ts'
import { usernameFrom } from '../../src/oauth/usernames.ts'
import { chooseLanguage } from '../../src/pages/language.ts'
import { allowedTypePattern } from '../../src/reverse-shares/limits.ts'
import { parseExpiration } from '../../src/shares/expiration.ts'
import { descriptionPattern, linkPattern, namePattern } from '../../src/shares/limits.ts'
import { declaredType, isOfType } from '../../src/uploads/file-types.ts'
import { checkFileName } from '../../src/uploads/names.ts'
import { readContentDigest } from '../../src/uploads/parts/content-digest.ts'
import { usernamePattern } from '../../src/users/limits.ts'
import { nameKey } from '../../src/users/queries.ts'

const length = 8_192
const longest = 20 // ms
const validators = { etag: '"a"', modified: new Date(0) }
const request = (headers: object) => ({ headers, protocol: 'http', host: 'x' }) as unknown as FastifyRequest
const pattern = (text: string) => (input: string) => new RegExp(text, 'u').test(input)

/**
 * All code that parses text from a request, a provider, a mail setting or a link. Most inputs are
 * shorter in practice.
 */
const parsers: Record<string, (input: string) => unknown> = {
  addressKey,
  allowedType: pattern(allowedTypePattern),
  appUrl: (input) => appUrl({ appUrl: null }, input, request({})),
  bearerToken: (authorization) => bearerToken(request({ authorization })),
  checkFileName,
  chooseLanguage: (input) => chooseLanguage(['en-US', 'de-DE'], 'en-US', input, input),
  contentDisposition: (input) => contentDisposition('attachment', input),
  decodableUrl: (url) => decodableUrl({ url }),
  description: pattern(descriptionPattern),
  email: (input) => emailFormat.test(input),
  evaluateConditions: (input) => evaluateConditions({ 'if-none-match': input, 'if-match': input }, validators),
  evaluateDates: (input) => evaluateConditions({ 'if-modified-since': input, 'if-unmodified-since': input }, validators),
  expiration: (input) => parseExpiration(input, new Date()),
  host: (input) => problemOf('smtp.host', input),
  mailHtml: (input) => mailHtml(input, input),
  isOfType: (input) => isOfType({ name: input, type: input }, input),
  isUuid,
  link: pattern(linkPattern),
  name: pattern(namePattern),
  nameKey,
  parseRange: (input) => parseRange(input, 1000),
  queryField: (url) => queryField.storage().get(queryField.deriveConstraint({ url })),
  rangeApplies: (input) => rangeApplies({ 'if-range': input }, validators),
  readContentDigest,
  readLink: (input) => readLink(input, () => 'https://x'),
  recoveryCode: normalizeCode,
  declaredType,
  tenant: (input) => problemOf('oauth.microsoft-tenant', input),
  tidyUrl: (input) => normalize('general.appUrl', input),
  usernameFrom: (input) => usernameFrom({ username: input, email: input }),
  username: pattern(usernamePattern),
  uuid: (input) => uuidFormat.test(input),
  zipNames: (input) => zipNames([input, input]),
}

const starts = [
  '',
  'a',
  'bytes=',
  'bytes=1-',
  'Bearer ',
  'https://x/s/',
  'sha-256=:',
  'http://',
  'text/',
  '"',
  'en;q=',
  'a@',
  '[::',
  '1-day',
]
const repeated = [
  ' ',
  '\t',
  '.',
  '/',
  ':',
  '"',
  'W/"',
  '1',
  'a',
  '=',
  ';',
  ',',
  '-',
  '%',
  '. ',
  '/s/a?',
  'a.',
  'a@',
  '\\',
  '\n',
  '?a&',
  '[',
  '~',
  '::',
  '. a',
]
const ends = ['', 'x', '\u0000', '\n', '!']

t.test('parses all input in linear time', async (t) => {
  for (const [name, parse] of Object.entries(parsers)) {
    let [slowest, worst] = [0, '']
    for (const start of starts) {
      for (const unit of repeated) {
        for (const end of ends) {
          const input = start + unit.repeat(Math.ceil(length / unit.length)) + end
          const ms = timed(parse, input)
          if (ms > slowest) [slowest, worst] = [ms, `${start}${unit}…${end}`]
        }
      }
    }
    t.ok(slowest < longest, `${name}: ${slowest.toFixed(1)} ms for ${JSON.stringify(worst)}`)
  }
})

/**
 * Milliseconds of this thread for one call. A slow first run is repeated once, because a garbage
 * collection may have caused it.
 */
function timed(parse: (input: string) => unknown, input: string): number {
  const once = () => {
    const before = process.threadCpuUsage()
    try {
      parse(input)
    } catch {
      // A rejection is a valid result too.
    }
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  }
  const first = once()
  return first < longest ? first : Math.min(first, once())
}

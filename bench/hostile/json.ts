import { jsonRequest } from '../support/raw.ts'
import { filled, type Input, type Target } from './input.ts'

const MAX_BYTES = 130_000 // bytes: just under the limit of a JSON body

/** Returns JSON bodies that are costly to parse, validate or refuse. */
export function jsonInputs({ cookie, share }: Target): Input[] {
  const user = { cookie }
  const list = (item: string) => `[${filled(`${item},`, MAX_BYTES).slice(0, -1)}]`
  const signIn = (body: string) => jsonRequest('POST', '/api/auth/signIn', body)
  const newShare = (body: string, headers = {}) => jsonRequest('POST', '/api/shares', body, headers)
  const lists = Array.from({ length: 15_000 }, (_, at) => [at])
  const raws: Record<string, Buffer> = {
    'scopes of 15,000 different lists': jsonRequest('POST', '/api/auth/tokens', { name: 'x', scopes: lists }, user),
    'scopes of 130 KB of objects': jsonRequest('POST', '/api/auth/tokens', `{"name":"x","scopes":${list('{}')}}`, user),
    'recipients of very many numbers, signed out': newShare(`{"recipients":${list('1')}}`),
    'recipients of very many numbers': newShare(`{"recipients":${list('1')}}`, user),
    'recipients of very many addresses': newShare(`{"recipients":${list('"a@b.example"')}}`, user),
    'lists in lists, 130 KB deep': signIn(filled('[', MAX_BYTES)),
    'objects in objects, 130 KB deep': signIn(`${filled('{"a":', MAX_BYTES / 2)}1${filled('}', MAX_BYTES / 12)}`),
    'an object of 11,000 fields': signIn(`{${Array.from({ length: 11_000 }, (_, at) => `"k${at}":1`).join()}}`),
    'one field many times': signIn(`{${filled('"a":1,', MAX_BYTES).slice(0, -1)}}`),
    'a field __proto__ many times': signIn(`{${filled('"__proto__":{"a":1},', MAX_BYTES).slice(0, -1)}}`),
    'a number of 130,000 digits': newShare(`{"security":{"maxViews":${filled('9', MAX_BYTES)}}}`, user),
    'a number with an exponent of 130,000 digits': newShare(`{"security":{"maxViews":1e${filled('9', MAX_BYTES)}}}`, user),
    'a password of 130 KB': signIn(`{"username":"hostile","password":"${filled('p', MAX_BYTES - 100)}"}`),
    'a user name of 130 KB of emoji': signIn(`{"username":"${filled('🦜', MAX_BYTES - 100)}","password":"x"}`),
    'a user name of 21,000 escapes': signIn(`{"username":"${filled('\\u0000', MAX_BYTES - 100)}","password":"x"}`),
    'an address of very many labels': jsonRequest('POST', '/api/auth/signUp', address(`a@${filled('a.', MAX_BYTES - 200)}`)),
    'an address of 130 KB without @': jsonRequest('POST', '/api/auth/signUp', address(filled('a', MAX_BYTES - 200))),
    'an address of very many @': jsonRequest('POST', '/api/auth/signUp', address(filled('a@', MAX_BYTES - 200))),
    'an expiration of 130,000 digits': newShare(`{"expiration":"${filled('9', MAX_BYTES - 100)}-minutes"}`, user),
    'an expiration of 130,000 hyphens': newShare(`{"expiration":"${filled('-', MAX_BYTES - 100)}"}`, user),
    'a link of 130 KB': newShare(`{"id":"${filled('a', MAX_BYTES - 100)}"}`, user),
    'a name of 130 KB of spaces': newShare(`{"name":"${filled(' ', MAX_BYTES - 100)}x"}`, user),
    '130 KB of spaces and no value': signIn(filled(' ', MAX_BYTES)),
    'settings: many of them, not an administrator': jsonRequest(
      'PATCH',
      '/api/configs/admin',
      list('{"key":"general.appName","value":"x"}'),
      user,
    ),
    'allowed types: 13,000': jsonRequest(
      'POST',
      '/api/reverseShares',
      `{"maxShareSize":"1","maxUseCount":1,"shareExpiration":"never","allowedTypes":${list('"image/*"')}}`,
      user,
    ),
    'a passkey of 130 KB': jsonRequest('POST', '/api/auth/signIn/passkey', { response: { id: filled('A', MAX_BYTES - 200) } }),
    'a file name of 130 KB of slashes': jsonRequest(
      'POST',
      `/api/shares/${share}/files`,
      { name: filled('a/', MAX_BYTES - 200), size: 1 },
      user,
    ),
    'a file name of 130 KB of combining marks': jsonRequest(
      'POST',
      `/api/shares/${share}/files`,
      { name: filled('\u0301', MAX_BYTES - 200), size: 1 },
      user,
    ),
    'a share password of 130 KB': jsonRequest('POST', `/api/shares/${share}/token`, { password: filled('p', MAX_BYTES - 200) }),
  }
  raws['a body of 1 MB'] = signIn(filled('[1],', 1_000_000))
  raws['settings of 1 MB, not an administrator'] = jsonRequest('PATCH', '/api/configs/admin', filled('[1],', 1_000_000), user)
  return Object.entries(raws).map(([what, bytes]) => ({ what, raw: { bytes } }))
}

const address = (email: string) => ({ username: 'hostile.two', email, password: 'correct horse battery' })

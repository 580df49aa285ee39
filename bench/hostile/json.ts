import { jsonRequest } from '../support/raw.ts'
import { filled, type Input, type Target } from './input.ts'

const MOST = 1_000_000 // bytes: just under the limit of a JSON body

/** Bodies that are costly to parse, to validate or to refuse. */
export function jsonInputs({ cookie, share }: Target): Input[] {
  const user = { cookie }
  const list = (one: string) => `[${filled(`${one},`, MOST).slice(0, -1)}]`
  const signIn = (body: string) => jsonRequest('POST', '/api/auth/signIn', body)
  const newShare = (body: string, headers = {}) => jsonRequest('POST', '/api/shares', body, headers)
  const lists = Array.from({ length: 15_000 }, (_, at) => [at])
  const raws: Record<string, Buffer> = {
    'scopes of 15,000 different lists': jsonRequest('POST', '/api/auth/tokens', { name: 'x', scopes: lists }, user),
    'scopes of 1 MB of objects': jsonRequest('POST', '/api/auth/tokens', `{"name":"x","scopes":${list('{}')}}`, user),
    'recipients of 500,000 numbers, signed out': newShare(`{"recipients":${list('1')}}`),
    'recipients of 500,000 numbers': newShare(`{"recipients":${list('1')}}`, user),
    'recipients of 250,000 addresses': newShare(`{"recipients":${list('"a@b.example"')}}`, user),
    'lists in lists, 1 MB deep': signIn(filled('[', MOST)),
    'objects in objects, 1 MB deep': signIn(`${filled('{"a":', MOST / 2)}1${filled('}', MOST / 12)}`),
    'an object of 80,000 fields': signIn(`{${Array.from({ length: 80_000 }, (_, at) => `"k${at}":1`).join()}}`),
    'one field 100,000 times': signIn(`{${filled('"a":1,', MOST).slice(0, -1)}}`),
    'a field __proto__ many times': signIn(`{${filled('"__proto__":{"a":1},', MOST).slice(0, -1)}}`),
    'a number of 1,000,000 digits': newShare(`{"security":{"maxViews":${filled('9', MOST)}}}`, user),
    'a number with an exponent of 1,000,000 digits': newShare(`{"security":{"maxViews":1e${filled('9', MOST)}}}`, user),
    'a password of 1 MB': signIn(`{"username":"hostile","password":"${filled('p', MOST - 100)}"}`),
    'a user name of 1 MB of emoji': signIn(`{"username":"${filled('🦜', MOST - 100)}","password":"x"}`),
    'a user name of 170,000 escapes': signIn(`{"username":"${filled('\\u0000', MOST - 100)}","password":"x"}`),
    'an address of 500,000 labels': jsonRequest('POST', '/api/auth/signUp', address(`a@${filled('a.', MOST - 200)}`)),
    'an address of 1 MB without @': jsonRequest('POST', '/api/auth/signUp', address(filled('a', MOST - 200))),
    'an address of 500,000 @': jsonRequest('POST', '/api/auth/signUp', address(filled('a@', MOST - 200))),
    'an expiration of 1,000,000 digits': newShare(`{"expiration":"${filled('9', MOST - 100)}-minutes"}`, user),
    'an expiration of 1,000,000 hyphens': newShare(`{"expiration":"${filled('-', MOST - 100)}"}`, user),
    'a link of 1 MB': newShare(`{"id":"${filled('a', MOST - 100)}"}`, user),
    'a name of 1 MB of spaces': newShare(`{"name":"${filled(' ', MOST - 100)}x"}`, user),
    '1 MB of spaces and no value': signIn(filled(' ', MOST)),
    'settings: 20,000 of them, not an administrator': jsonRequest(
      'PATCH',
      '/api/configs/admin',
      list('{"key":"general.appName","value":"x"}'),
      user,
    ),
    'allowed types: 100,000': jsonRequest(
      'POST',
      '/api/reverseShares',
      `{"maxShareSize":"1","maxUseCount":1,"shareExpiration":"never","allowedTypes":${list('"image/*"')}}`,
      user,
    ),
    'a passkey of 1 MB': jsonRequest('POST', '/api/auth/signIn/passkey', { response: { id: filled('A', MOST - 200) } }),
    'a file name of 1 MB of slashes': jsonRequest('POST', `/api/shares/${share}/files`, { name: filled('a/', MOST - 200), size: 1 }, user),
    'a file name of 1 MB of combining marks': jsonRequest(
      'POST',
      `/api/shares/${share}/files`,
      { name: filled('\u0301', MOST - 200), size: 1 },
      user,
    ),
    'a share password of 1 MB': jsonRequest('POST', `/api/shares/${share}/token`, { password: filled('p', MOST - 200) }),
  }
  return Object.entries(raws).map(([what, bytes]) => ({ what, raw: { bytes } }))
}

const address = (email: string) => ({ username: 'hostile.two', email, password: 'correct horse battery' })

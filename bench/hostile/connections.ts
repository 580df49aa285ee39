import { jsonRequest, request } from '../support/raw.ts'
import { filled, type Input, type Target } from './input.ts'

const FLOOD = 5 // ms from one request to the next

/** Returns idle connections, and floods of requests that are cheap to send. */
export function connectionInputs({ share, file, cookie }: Target): Input[] {
  const path = `/api/shares/${share}/files/${file}`
  const zip = `/api/shares/${share}/files/zip`
  const body = (length: number, bytes: number) =>
    request('POST', '/api/auth/signIn', { 'content-type': 'application/json', 'content-length': String(length) }, filled(' ', bytes))
  const password = { security: { password: 'abcd' }, expiration: 'never', recipients: [] }
  return [
    held('bodies of 1 MB of which 10 bytes are sent', body(1_000_000, 10), 100),
    held('bodies of 1 MB of which all but 10 bytes are sent', body(1_000_000, 999_990), 100),
    held('bodies to a path that does not exist', request('POST', '/api/nope', { 'content-length': '1000000' }, 'x'), 100),
    {
      ...held('bodies sent one byte every 100 ms', body(1_000_000, 10), 50),
      raw: { bytes: body(1_000_000, 10), hold: true, drip: 100 },
    },
    held('headers that do not end', 'GET / HTTP/1.1\r\nhost: localhost\r\n', 200),
    held('connections without a byte', '', 500),
    held('downloads that are not read', request('GET', path), 50),
    held('zips that are not read', request('GET', zip), 50),
    held('500 requests on one connection, not read', filled('GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n', 23_000), 10),
    flood('HEAD of a file', request('HEAD', path)),
    flood('HEAD of a zip', request('HEAD', zip)),
    flood('zips cut at once', request('GET', zip), true),
    flood('downloads cut at once', request('GET', path), true),
    flood('pages that do not exist', request('GET', '/nothing/here')),
    flood('API calls that do not exist', request('GET', '/api/nothing')),
    flood('unsupported methods', request('PROPFIND', '/api/shares')),
    flood('TRACE', request('TRACE', '/')),
    flood('not HTTP', '\u0016\u0003\u0001\u0002\r\n\r\n'),
    flood('unknown API tokens', request('GET', '/api/users/me', { authorization: `Bearer rzb_${'a'.repeat(43)}` })),
    flood(
      'access tokens of others',
      request('GET', '/api/users/me', { cookie: `access_token=${'a'.repeat(20)}.${'b'.repeat(60)}.${'c'.repeat(43)}` }),
    ),
    flood('unlock tokens', jsonRequest('POST', `/api/shares/${share}/token`, {})),
    flood('links probed', request('GET', '/api/shares/isShareIdAvailable/abc')),
    flood('shares probed', request('GET', '/api/shares/aaaaaaaa')),
    flood('sign-ins', jsonRequest('POST', '/api/auth/signIn', { username: 'hostile', password: 'wrong wrong' })),
    flood('shares with a password, of one account', jsonRequest('POST', '/api/shares', password, { cookie })),
    flood('the API documentation', request('GET', '/api/openapi.json')),
  ]
}

const held = (what: string, bytes: Buffer | string, count: number): Input => ({ what, raw: { bytes, hold: true }, every: 5, count })
const flood = (what: string, bytes: Buffer | string, cut = false): Input => ({ what, raw: { bytes, cut }, every: FLOOD })

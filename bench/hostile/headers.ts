import { request } from '../support/raw.ts'
import { filled, type Input, type Target } from './input.ts'

const MAX_BYTES = 14_500 // bytes: just under the limit of all headers

/** Returns headers and URLs that are costly to parse. */
export function headerInputs({ share, file, cookie }: Target): Input[] {
  const path = `/api/shares/${share}/files/${file}`
  const headers: Record<string, [string, Record<string, string>]> = {
    'Range: 15,000 spaces': [path, { range: `bytes=${filled(' ', MAX_BYTES)}x` }],
    'Range of the zip: 15,000 spaces': [`/api/shares/${share}/files/zip`, { range: `bytes=${filled(' ', MAX_BYTES)}x` }],
    'Range: 15,000 digits': [path, { range: `bytes=${filled('9', MAX_BYTES)}-` }],
    'Range: 3,000 ranges': [path, { range: `bytes=${filled('0-0,', MAX_BYTES)}0-0` }],
    'Range: 15,000 hyphens': [path, { range: `bytes=${filled('-', MAX_BYTES)}` }],
    'If-Match: 4,000 tags': [path, { 'if-match': filled('"a",', MAX_BYTES) }],
    'If-None-Match: 2,000 weak tags': [path, { 'if-none-match': filled('W/"a", ', MAX_BYTES) }],
    'If-None-Match: one quote and 15,000 commas': [path, { 'if-none-match': `"${filled(',', MAX_BYTES)}` }],
    'If-Range: 15,000 spaces': [path, { range: 'bytes=0-0', 'if-range': `"${filled(' ', MAX_BYTES)}` }],
    'If-Modified-Since: 15,000 digits': [path, { 'if-modified-since': filled('9', MAX_BYTES) }],
    'Accept-Language: 3,000 languages': [`/share/${share}`, { 'accept-language': filled('en-US,', MAX_BYTES) }],
    'Accept-Language: 7,000 subtags': [`/share/${share}`, { 'accept-language': filled('a-', MAX_BYTES) }],
    'Accept-Language: weights of 15,000 digits': [`/share/${share}`, { 'accept-language': `de;q=0.${filled('9', MAX_BYTES)}` }],
    'Cookie: 4,000 of them': [`/api/shares/${share}`, { cookie: filled('a=b;', MAX_BYTES) }],
    'Cookie: 15,000 equals signs': [`/api/shares/${share}`, { cookie: `a${filled('=', MAX_BYTES)}` }],
    'Cookie: 15,000 quotes': [`/api/shares/${share}`, { cookie: `a=${filled('"', MAX_BYTES)}` }],
    'Cookie: 5,000 escapes': [`/api/shares/${share}`, { cookie: `a=${filled('%41', MAX_BYTES)}` }],
    'Cookie: 500 unlock tokens': [`/api/shares/${share}`, { cookie: filled('share_abcdef_token=aaaaaa;', MAX_BYTES) }],
    'access token: 15,000 dots': ['/api/users/me', { cookie: `access_token=${filled('.', MAX_BYTES)}` }],
    'Authorization: 15,000 characters': ['/api/users/me', { authorization: `Bearer ${filled('a', MAX_BYTES)}` }],
    'Authorization: 15,000 spaces': ['/api/users/me', { authorization: `Bearer${filled(' ', MAX_BYTES)}x` }],
    'Content-Type: 3,000 parameters': ['/api/health', { 'content-type': `application/json${filled(';a=b', MAX_BYTES)}` }],
    'Content-Type: boundary of 15,000 characters': [
      '/api/health',
      { 'content-type': `multipart/form-data; boundary=${filled('-', MAX_BYTES)}` },
    ],
    'Accept: 5,000 types': ['/api/health', { accept: filled('a/b,', MAX_BYTES) }],
    'X-Forwarded-For: 2,000 addresses': ['/api/health', { 'x-forwarded-for': filled('1.2.3.4,', MAX_BYTES) }],
    'Host: 15,000 characters': ['/', { host: filled('a', MAX_BYTES) }],
    'Origin: 15,000 characters': ['/api/auth/signOut', { origin: `http://${filled('a.', MAX_BYTES)}` }],
    '1,500 headers': ['/api/health', Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`x${at}`, 'a']))],
    'headers of 200 KB': ['/api/health', { x: filled('a', 200_000) }],
    'query: 5,000 fields': [`/api/shares?${filled('a=b&', MAX_BYTES)}`, { cookie }],
    'query: one field 3,000 times': [`/api/shares?${filled('page=1&', MAX_BYTES)}`, { cookie }],
    'query: nested brackets': [`/api/shares?${filled('a[b]', MAX_BYTES)}=1`, { cookie }],
    'path: 5,000 escapes': [`/share/${filled('%2541', MAX_BYTES)}`, {}],
    'path: 5,000 bad escapes': [`/share/${filled('%', MAX_BYTES)}`, {}],
    'path: 15,000 slashes': [filled('/', MAX_BYTES), {}],
    'path: 5,000 steps up': [`/${filled('../', MAX_BYTES)}`, {}],
    'share link of 15,000 characters': [`/api/shares/${filled('a', MAX_BYTES)}`, {}],
    'search for 5,000 wildcards': [`/api/shares?page=1&search=${filled('%25_', MAX_BYTES)}`, { cookie }],
    'search for a regular expression': [`/api/shares?page=1&search=${encodeURIComponent(filled('(a+)+', 5000))}`, { cookie }],
    'search for 10,000 backslashes': [`/api/shares?page=1&search=${filled('%5C', MAX_BYTES)}`, { cookie }],
    'page 1e308': ['/api/shares?page=1e308', { cookie }],
    'page 9007199254740991': ['/api/shares?page=9007199254740991&limit=100', { cookie }],
    'page of 10,000 digits': [`/api/shares?page=${filled('9', 10_000)}`, { cookie }],
    'redirect of 15,000 characters': [`/auth/signIn?redirect=${filled('/.', MAX_BYTES)}`, {}],
  }
  return Object.entries(headers).map(([what, [address, fields]]) => ({ what, raw: { bytes: request('GET', address, fields) }, every: 50 }))
}

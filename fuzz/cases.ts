import type { Random } from './random.ts'

/** The data that the cases use. */
export interface Target {
  share: string
  file: string
  /** A share that is open for uploads, and a file announced in it. */
  open: string
  announced: string
  cookie: string
  token: string
}

const texts = [
  '',
  ' ',
  'a',
  '.',
  '..',
  '../a',
  '/',
  '\\',
  '%',
  '%00',
  '%2e%2e%2f',
  '%zz',
  '\0',
  '"',
  "'",
  ';',
  '\r\n',
  '\n',
  'é',
  '漢',
  '🦜',
  '\u202e',
  '\ud800',
  'null',
  '__proto__',
  'urn:uuid:00000000-0000-0000-0000-000000000000',
  '00000000-0000-0000-0000-000000000000',
  'a'.repeat(300),
  '[]',
  '{}',
  'CON',
  'a/b/c',
  'true',
]
const numbers = [
  '0',
  '-1',
  '1',
  '2',
  '1.5',
  '1e3',
  '1e308',
  '-0',
  '9007199254740991',
  '9007199254740992',
  '18446744073709551616',
  '99999999999999999999999',
  '0x10',
  ' 1',
  '1 ',
  '+1',
  '1,1',
  'NaN',
  '',
]
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'get', 'PROPFIND', 'G\0T', '']

/** Returns the bytes for one connection: a request of a random kind, sometimes damaged. */
export function makeCase(random: Random, target: Target, address: string): Buffer {
  const kind = random.one([framing, ranges, forms, chunks, parts, json])
  const bytes = kind(random, target, address)
  return random.rarely(3) ? broken(random, bytes) : bytes
}

const text = (random: Random) => (random.rarely(6) ? random.bytes(random.below(40)).toString('latin1') : random.one(texts))
const value = (random: Random) => (random.rarely(2) ? random.one(numbers) : text(random))

interface Request {
  method: string
  path: string
  headers: [string, string][]
  body?: Buffer | string
}

function written(random: Random, target: Target, address: string, { method, path, headers, body = '' }: Request): Buffer {
  const bytes = Buffer.from(body)
  const caller: [string, string][] = random.one([[], [['cookie', target.cookie]], [['authorization', `Bearer ${target.token}`]]])
  const length: [string, string] = ['content-length', random.rarely(12) ? random.one(numbers) : String(bytes.length)]
  const framed = headers.some(([name]) => name === 'transfer-encoding')
  const last: [string, string][] = headers.some(([name]) => name === 'connection') ? [] : [['connection', 'close']]
  const all: [string, string][] = [
    ['host', 'localhost'],
    ['x-forwarded-for', address],
    ...caller,
    ...headers,
    ...(framed ? [] : [length]),
    ...last,
  ]
  const lines = all.map(([name, text]) => `${name}: ${text}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), bytes])
}

const paths = (random: Random, { share, file, open, announced }: Target) =>
  random.one([
    '/',
    '/api/health',
    '/api/openapi.json',
    `/share/${share}`,
    `/share/${value(random)}`,
    `/api/shares/${share}`,
    `/api/shares/${value(random)}`,
    `/api/shares/${share}/files/zip`,
    `/api/shares/${share}/files/${file}`,
    `/api/shares/${share}/files/${value(random)}`,
    `/api/shares/${open}/files/${announced}/parts/${value(random)}`,
    `/api/shares?page=${value(random)}&limit=${value(random)}&search=${value(random)}`,
    `/api/users/${value(random)}`,
    `/api/auth/sessions/${value(random)}`,
    `/api/logo/${value(random)}`,
    `/${value(random)}`,
    value(random),
  ])

/** Requests with odd framing: methods, versions, contradicting lengths, chunk sizes. */
function framing(random: Random, target: Target, address: string): Buffer {
  const headers = random.several(random.below(6), (): [string, string] =>
    random.one([
      ['content-length', random.one(numbers)],
      ['transfer-encoding', random.one(['chunked', 'gzip, chunked', 'chunked, chunked', 'identity', 'Chunked', '\tchunked', 'x'])],
      ['host', text(random)],
      ['expect', random.one(['100-continue', 'x'])],
      ['connection', random.one(['keep-alive', 'close', 'upgrade', 'content-length', 'x'])],
      ['upgrade', random.one(['websocket', 'h2c'])],
      [
        'content-type',
        random.one(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', text(random)]),
      ],
      ['accept-language', text(random)],
      ['cookie', `${text(random)}=${text(random)}`],
      ['authorization', `Bearer ${text(random)}`],
      ['origin', text(random)],
      ['x-forwarded-proto', text(random)],
      ['x-forwarded-host', text(random)],
      [text(random) || 'x', text(random)],
    ]),
  )
  const chunk = () =>
    `${random.one(['0', '1', '5', 'a', 'ffffffff', 'ffffffffffffffffff', '-1', '0x1', '1;a=b', ' 1'])}\r\n${text(random)}\r\n`
  const body = random.rarely(2) ? random.several(random.below(4), chunk).join('') : random.bytes(random.below(200))
  const one = written(random, target, address, { method: random.one(methods), path: paths(random, target), headers, body })
  return random.rarely(4) ? Buffer.concat([one, one]) : one
}

function ranges(random: Random, target: Target, address: string): Buffer {
  const range = () => `${random.one(numbers)}${random.one(['-', '', '--', ' - '])}${random.one(numbers)}`
  const tag = () => random.one(['*', '"a"', 'W/"a"', '"', '', 'a', '"a', '"a", "b"', `"${text(random)}"`])
  const date = () =>
    random.one(['Sat, 28 Nov 2026 00:00:00 GMT', 'x', '0', '-1', 'Thu, 01 Jan 1970 00:00:00 GMT', numbers[random.below(numbers.length)]!])
  const headers = random.several(random.below(4), (): [string, string] =>
    random.one([
      [
        'range',
        `${random.one(['bytes', 'items', 'BYTES', ''])}${random.one(['=', ' ', ''])}${random.several(1 + random.below(4), range).join(random.one([',', ', ', ' ']))}`,
      ],
      ['if-range', random.rarely(2) ? tag() : date()],
      ['if-match', tag()],
      ['if-none-match', tag()],
      ['if-modified-since', date()],
      ['if-unmodified-since', date()],
      ['accept-encoding', random.one(['gzip', 'br', '*;q=0', text(random)])],
    ]),
  )
  const { share, file } = target
  const path = `/api/shares/${share}/files/${random.one([file, 'zip'])}${random.one(['', '?download=true', `?download=${value(random)}`, '?preview=1'])}`
  return written(random, target, address, { method: random.one(['GET', 'GET', 'HEAD']), path, headers })
}

function forms(random: Random, target: Target, address: string): Buffer {
  const boundary = random.one(['b', '----WebKitFormBoundaryabc', '-', 'a b', '"', 'x'.repeat(70), 'x'.repeat(300), ''])
  const fields = [
    'id',
    'name',
    'description',
    'expiration',
    'recipients',
    'password',
    'maxViews',
    'reverseShareToken',
    'senderName',
    'senderEmail',
    'file',
    'x',
    '__proto__',
    '',
  ]
  const disposition = (): string => {
    const name = `name="${random.one(fields)}"`
    const file = random.one([
      '',
      `; filename="${text(random)}"`,
      `; filename*=UTF-8''${text(random)}`,
      `; filename*=${text(random)}`,
      '; filename=',
    ])
    return random.one([`form-data; ${name}${file}`, `form-data${file}`, 'attachment', `form-data; name=${value(random)}${file}`, ''])
  }
  const part = () => {
    const heads = [
      `content-disposition: ${disposition()}`,
      ...random.several(
        random.below(3),
        () => `${random.one(['content-type', 'content-transfer-encoding', 'content-length', text(random) || 'x'])}: ${value(random)}`,
      ),
    ]
    const body = random.one([
      value(random),
      random.bytes(random.below(300)).toString('latin1'),
      '7-days',
      'never',
      'a@b.example',
      `--${boundary}`,
    ])
    return `--${boundary}\r\n${heads.join('\r\n')}\r\n\r\n${body}\r\n`
  }
  const path = random.one(['/api/upload', '/api/upload', '/api/configs/admin/logo'])
  const body = `${random.several(random.below(5), part).join('')}${random.rarely(5) ? '' : `--${boundary}--\r\n`}`
  const headers: [string, string][] = [
    [
      'content-type',
      random.one([
        `multipart/form-data; boundary=${boundary}`,
        `multipart/form-data; boundary="${boundary}"`,
        'multipart/form-data',
        'multipart/mixed; boundary=b',
      ]),
    ],
    ['accept', random.one(['*/*', 'text/plain', 'text/html'])],
  ]
  return written(random, target, address, { method: 'POST', path, headers, body: Buffer.from(body, 'latin1') })
}

function chunks(random: Random, target: Target, address: string): Buffer {
  const field = () => `${random.one(['id', 'name', 'chunkIndex', 'totalChunks', 'x'])}=${encodeURI(value(random).toWellFormed())}`
  const usual = random.rarely(2)
    ? `name=a&chunkIndex=${random.one(numbers)}&totalChunks=${random.one(numbers)}&`
    : 'name=a&chunkIndex=0&totalChunks=1&'
  const body = random.one([
    random.bytes(random.below(500)),
    `data:${value(random)};base64,${random.bytes(30).toString('base64')}`,
    `data:${text(random)}`,
    text(random),
  ])
  const headers: [string, string][] = [
    ['content-type', random.one(['application/octet-stream', 'text/plain', 'text/plain; charset=utf-16', text(random)])],
  ]
  if (random.rarely(4)) headers.push(['transfer-encoding', 'chunked'])
  return written(random, target, address, {
    method: 'POST',
    path: `/api/shares/${target.open}/files?${usual}${random.several(random.below(3), field).join('&')}`,
    headers,
    body,
  })
}

function parts(random: Random, target: Target, address: string): Buffer {
  const body = random.bytes(random.one([0, 1, 100, 1000, 1001]))
  const headers = random.several(random.below(3), (): [string, string] =>
    random.one([
      [
        'content-digest',
        random.one(['sha-256=:AAAA:', 'crc32c=:AAAAAA==:', 'sha-256=', 'md5=:a:', `sha-256=:${text(random)}:`, text(random)]),
      ],
      ['content-range', random.one(['bytes 0-999/1000', 'bytes 5-1/2', 'bytes */*', text(random)])],
      ['content-encoding', random.one(['gzip', 'identity', 'x'])],
    ]),
  )
  const number = random.rarely(2) ? '1' : encodeURI(value(random).toWellFormed())
  const path = `/api/shares/${target.open}/files/${target.announced}/parts/${number}`
  return written(random, target, address, {
    method: 'PUT',
    path,
    headers: [['content-type', 'application/octet-stream'], ...headers],
    body,
  })
}

const routes = [
  'POST /api/auth/signIn',
  'POST /api/auth/signUp',
  'POST /api/auth/signIn/totp',
  'POST /api/auth/resetPassword',
  'POST /api/auth/tokens',
  'POST /api/shares',
  'PATCH /api/shares/:open',
  'POST /api/shares/:share/token',
  'POST /api/shares/:open/files',
  'POST /api/reverseShares',
  'POST /api/reverseShares/x/unlock',
  'PATCH /api/users/me',
  'POST /api/users',
  'POST /api/auth/signIn/passkey',
  'POST /api/shares/:open/complete',
]
const fields = [
  'username',
  'email',
  'password',
  'totp',
  'loginToken',
  'token',
  'name',
  'scopes',
  'expiresAt',
  'id',
  'description',
  'expiration',
  'recipients',
  'security',
  'maxViews',
  'size',
  'type',
  'maxShareSize',
  'maxUseCount',
  'shareExpiration',
  'allowedTypes',
  'response',
  '__proto__',
  'constructor',
]

function json(random: Random, target: Target, address: string): Buffer {
  const any = (depth: number): string => {
    const list = () => random.several(random.below(4), () => any(depth + 1)).join()
    const object = () => random.several(random.below(6), () => `${JSON.stringify(random.one(fields))}:${any(depth + 1)}`).join()
    const leaf = () =>
      random.one([
        JSON.stringify(text(random)),
        random.one(numbers) || '0',
        'null',
        'true',
        '"never"',
        '"7-days"',
        '"a@b.example"',
        '"2026-11-28T00:00:00Z"',
        '"\\u0000"',
        '"\\ud800"',
      ])
    return depth > 3 || random.rarely(2) ? leaf() : random.rarely(3) ? `[${list()}]` : `{${object()}}`
  }
  const [method = '', path = ''] = random.one(routes).split(' ')
  const body = random.rarely(8)
    ? any(0)
    : `{${random.several(random.below(7), () => `${JSON.stringify(random.one(fields))}:${any(1)}`).join()}}`
  const headers: [string, string][] = [['content-type', random.rarely(8) ? text(random) : 'application/json']]
  return written(random, target, address, {
    method,
    path: path.replace(':open', target.open).replace(':share', target.share),
    headers,
    body,
  })
}

/** Truncates, duplicates or changes some bytes. */
function broken(random: Random, bytes: Buffer): Buffer {
  const [a, b] = [random.below(bytes.length + 1), random.below(bytes.length + 1)].sort((one, other) => one - other) as [number, number]
  return random.one([
    () => bytes.subarray(0, b),
    () => Buffer.concat([bytes.subarray(0, a), bytes.subarray(b)]),
    () => Buffer.concat([bytes.subarray(0, b), bytes.subarray(a)]),
    () => Buffer.concat([bytes.subarray(0, a), random.bytes(1 + random.below(8)), bytes.subarray(a)]),
    () => Buffer.from(bytes.map((byte) => (random.rarely(50) ? random.below(256) : byte))),
  ])()
}
